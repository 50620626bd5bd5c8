/* A notification service as desktops have one, on the session bus of the test.
 * It says on its output what is shown and taken away, one line each, with tabs
 * between: "note ID REPLACES TITLE BODY", "gone ID", "badge COUNT"; a line "click ID" on
 * its input is the person's click. */
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "org.freedesktop.Notifications"
#define PATH "/org/freedesktop/Notifications"

static const char *xml =
    "<node><interface name='" NAME "'>"
    "<method name='GetCapabilities'><arg type='as' direction='out'/></method>"
    "<method name='Notify'><arg type='s' direction='in'/><arg type='u' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='as' direction='in'/><arg type='a{sv}' direction='in'/>"
    "<arg type='i' direction='in'/><arg type='u' direction='out'/></method>"
    "<method name='CloseNotification'><arg type='u' direction='in'/></method>"
    "</interface></node>";

static GDBusConnection *bus;
static guint last;

static void call(GDBusConnection *c, const char *sender, const char *path, const char *interface, const char *method,
                 GVariant *args, GDBusMethodInvocation *call, gpointer data) {
  if (!strcmp(method, "GetCapabilities")) {
    const char *can[] = {"body", "actions", NULL};
    g_dbus_method_invocation_return_value(call, g_variant_new("(^as)", can));
  } else if (!strcmp(method, "Notify")) {
    const char *title, *body;
    guint replaces;
    g_variant_get(args, "(&su&s&s&sasa{sv}i)", NULL, &replaces, NULL, &title, &body, NULL, NULL, NULL);
    guint id = replaces ? replaces : ++last;
    printf("note\t%u\t%u\t%s\t%s\n", id, replaces, title, body);
    g_dbus_method_invocation_return_value(call, g_variant_new("(u)", id));
  } else {
    guint id;
    g_variant_get(args, "(u)", &id);
    printf("gone\t%u\n", id);
    g_dbus_method_invocation_return_value(call, NULL);
  }
}

static void badge(GDBusConnection *c, const char *sender, const char *path, const char *interface, const char *signal,
                  GVariant *args, gpointer data) {
  GVariant *props = g_variant_get_child_value(args, 1);
  gint64 count = -1;
  g_variant_lookup(props, "count", "x", &count);
  printf("badge\t%d\n", (int)count);
}

static gboolean typed(GIOChannel *in, GIOCondition why, gpointer data) {
  char *line = NULL;
  if (g_io_channel_read_line(in, &line, NULL, NULL, NULL) != G_IO_STATUS_NORMAL) exit(0);
  guint id;
  if (sscanf(line, "click %u", &id) == 1)
    g_dbus_connection_emit_signal(bus, NULL, PATH, NAME, "ActionInvoked", g_variant_new("(us)", id, "default"), NULL);
  g_free(line);
  return TRUE;
}

static void owns(GDBusConnection *c, const char *name, gpointer data) { puts("ready"); }

int main(void) {
  static const GDBusInterfaceVTable table = {.method_call = call};
  setvbuf(stdout, NULL, _IOLBF, 0);
  bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
  if (!bus) return 1;
  GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(xml, NULL);
  g_dbus_connection_register_object(bus, PATH, node->interfaces[0], &table, NULL, NULL, NULL);
  g_dbus_connection_signal_subscribe(bus, NULL, "com.canonical.Unity.LauncherEntry", "Update", NULL, NULL, 0, badge, NULL, NULL);
  g_bus_own_name_on_connection(bus, NAME, G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE, owns, NULL, NULL, NULL);
  g_io_add_watch(g_io_channel_unix_new(0), G_IO_IN | G_IO_HUP, typed, NULL);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
