/* A window in the top left corner whose contents, dragged out of it, are the
 * files named on the command line: what a file manager offers (text/uri-list).
 * It says on standard output what happens to the drag. desktop.mjs compiles
 * and runs it. */
#include <gtk/gtk.h>

static char **uris;

static void say(const char *what) {
  puts(what);
  fflush(stdout);
}

static void give(GtkWidget *w, GdkDragContext *c, GtkSelectionData *data, guint info, guint time, gpointer p) {
  (void)w, (void)c, (void)info, (void)time, (void)p;
  gtk_selection_data_set_uris(data, uris);
  say("given");
}

static void began(GtkWidget *w, GdkDragContext *c, gpointer p) { (void)w, (void)c, (void)p, say("began"); }

static void ended(GtkWidget *w, GdkDragContext *c, gpointer p) { (void)w, (void)c, (void)p, say("ended"); }

static gboolean failed(GtkWidget *w, GdkDragContext *c, GtkDragResult result, gpointer p) {
  (void)w, (void)c, (void)p;
  printf("failed %d\n", result);
  return FALSE;
}

int main(int argc, char **argv) {
  gtk_init(&argc, &argv);
  uris = g_new0(char *, argc);
  for (int i = 1; i < argc; i++) uris[i - 1] = g_filename_to_uri(argv[i], NULL, NULL);

  GtkWidget *window = gtk_window_new(GTK_WINDOW_POPUP);
  gtk_window_set_default_size(GTK_WINDOW(window), 60, 40);
  gtk_window_move(GTK_WINDOW(window), 0, 0);
  GtkWidget *box = gtk_event_box_new();
  gtk_container_add(GTK_CONTAINER(box), gtk_label_new("files"));
  gtk_container_add(GTK_CONTAINER(window), box);
  gtk_drag_source_set(box, GDK_BUTTON1_MASK, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_source_add_uri_targets(box);
  g_signal_connect(box, "drag-data-get", G_CALLBACK(give), NULL);
  g_signal_connect(box, "drag-begin", G_CALLBACK(began), NULL);
  g_signal_connect(box, "drag-end", G_CALLBACK(ended), NULL);
  g_signal_connect(box, "drag-failed", G_CALLBACK(failed), NULL);
  gtk_widget_show_all(window);
  say("ready");
  gtk_main();
}
