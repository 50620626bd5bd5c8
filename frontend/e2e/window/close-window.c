/* Asks an X window to close itself, as the close button of a title bar does
 * (WM_DELETE_WINDOW); there is no window manager under Xvfb that would.
 *
 * usage: close-window WINDOW */
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  Display *display = XOpenDisplay(NULL);
  if (argc != 2 || !display) {
    fputs("usage: close-window WINDOW, with DISPLAY set\n", stderr);
    return 2;
  }
  XEvent event = {0};
  event.xclient.type = ClientMessage;
  event.xclient.window = strtoul(argv[1], NULL, 0);
  event.xclient.message_type = XInternAtom(display, "WM_PROTOCOLS", False);
  event.xclient.format = 32;
  event.xclient.data.l[0] = XInternAtom(display, "WM_DELETE_WINDOW", False);
  event.xclient.data.l[1] = CurrentTime;
  XSendEvent(display, event.xclient.window, False, NoEventMask, &event);
  XCloseDisplay(display);
  return 0;
}
