/* A window in the top left corner that takes what is dropped on it and says it
 * on standard output: one line for each type, its bytes in base64. desktop.mjs
 * compiles and runs it. */
#include <gtk/gtk.h>
#include <stdio.h>

static const char *types[] = {"text/uri-list", "text/markdown", "text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "text/html"};
static guint asked;
static gboolean dropped;

static void say(const char *what) {
  puts(what);
  fflush(stdout);
}

/* Asks for the next type that the source has; after the last one the drag is over. */
static void ask(GtkWidget *w, GdkDragContext *c, guint time) {
  GList *targets = gdk_drag_context_list_targets(c);
  while (asked < G_N_ELEMENTS(types)) {
    GdkAtom type = gdk_atom_intern(types[asked++], FALSE);
    if (g_list_find(targets, type)) {
      gtk_drag_get_data(w, c, type, time);
      return;
    }
  }
  gtk_drag_finish(c, TRUE, FALSE, time);
  say("end");
}

static void received(GtkWidget *w, GdkDragContext *c, gint x, gint y, GtkSelectionData *data, guint info, guint time, gpointer p) {
  (void)x, (void)y, (void)info, (void)p;
  gint length = 0;
  const guchar *bytes = gtk_selection_data_get_data_with_length(data, &length);
  gchar *text = g_base64_encode(bytes, length > 0 ? (gsize)length : 0);
  printf("%s\t%s\n", types[asked - 1], text);
  fflush(stdout);
  g_free(text);
  if (dropped) ask(w, c, time);
}

static gboolean moved(GtkWidget *w, GdkDragContext *c, gint x, gint y, guint time, gpointer p) {
  (void)w, (void)x, (void)y, (void)p;
  gdk_drag_status(c, GDK_ACTION_COPY, time);
  return TRUE;
}

static gboolean drop(GtkWidget *w, GdkDragContext *c, gint x, gint y, guint time, gpointer p) {
  (void)x, (void)y, (void)p;
  dropped = TRUE;
  asked = 0;
  ask(w, c, time);
  return TRUE;
}

int main(int argc, char **argv) {
  gtk_init(&argc, &argv);
  GtkWidget *window = gtk_window_new(GTK_WINDOW_POPUP);
  gtk_window_set_default_size(GTK_WINDOW(window), 120, 50);
  gtk_window_move(GTK_WINDOW(window), 0, 0);
  GtkWidget *box = gtk_event_box_new();
  gtk_container_add(GTK_CONTAINER(window), box);
  gtk_container_add(GTK_CONTAINER(box), gtk_label_new("drop here"));
  gtk_drag_dest_set(box, 0, NULL, 0, GDK_ACTION_COPY);
  g_signal_connect(box, "drag-motion", G_CALLBACK(moved), NULL);
  g_signal_connect(box, "drag-drop", G_CALLBACK(drop), NULL);
  g_signal_connect(box, "drag-data-received", G_CALLBACK(received), NULL);
  gtk_widget_show_all(window);
  say("ready");
  gtk_main();
}
