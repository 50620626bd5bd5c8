//go:build desktop && linux

#include "view.h"
#include "_cgo_export.h"
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

/* The view, found once; GTK's own thread alone reads it. */
static WebKitWebView *view;
static guint every;
static char *start;       /* the page's address */
static GtkWidget *instead; /* what stands in the place of the page */

static void find(GtkWidget *widget, gpointer data) {
  (void)data;
  if (view)
    return;
  if (WEBKIT_IS_WEB_VIEW(widget))
    view = WEBKIT_WEB_VIEW(widget);
  else if (GTK_IS_CONTAINER(widget))
    gtk_container_foreach(GTK_CONTAINER(widget), find, NULL);
}

static void ended(WebKitWebView *web_view, WebKitWebProcessTerminationReason why, gpointer data) {
  (void)web_view;
  (void)data;
  pageEnded(why == WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT);
}

/* A menu or a dialog of the system is open: it may keep the page waiting. */
static gboolean held(void) {
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(view));
  gboolean found = gtk_grab_get_current() != NULL;
  GList *all = gtk_window_list_toplevels();
  for (GList *l = all; l && !found; l = l->next)
    found = l->data != window && gtk_widget_get_visible(l->data) && (GTK_IS_DIALOG(l->data) || gtk_window_get_modal(l->data));
  g_list_free(all);
  return found;
}

static gboolean beat(gpointer data) {
  (void)data;
  pageBeat(held());
  return G_SOURCE_CONTINUE;
}

static gboolean watch(gpointer data) {
  int *tries = data;
  GList *all = gtk_window_list_toplevels();
  g_list_foreach(all, (GFunc)find, NULL);
  g_list_free(all);
  if (!view)
    return --*tries > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
  start = g_strdup(webkit_web_view_get_uri(view));
  g_signal_connect(view, "web-process-terminated", G_CALLBACK(ended), NULL);
  g_timeout_add(every, beat, NULL);
  return G_SOURCE_REMOVE;
}

void page_watch(guint every_ms) {
  int *tries = g_new(int, 1);
  every = every_ms;
  *tries = 100;
  g_timeout_add_full(G_PRIORITY_HIGH, 10, watch, tries, g_free);
}

static gboolean load(gpointer data) {
  (void)data;
  if (instead) {
    gtk_widget_destroy(instead);
    instead = NULL;
    gtk_widget_show(GTK_WIDGET(view));
  }
  webkit_web_view_load_uri(view, start ? start : "wails://wails/");
  gtk_widget_grab_focus(GTK_WIDGET(view));
  return G_SOURCE_REMOVE;
}

void page_load(void) { g_idle_add(load, NULL); }

static gboolean end(gpointer data) {
  (void)data;
  webkit_web_view_terminate_web_process(view);
  return G_SOURCE_REMOVE;
}

void page_end(void) { g_idle_add(end, NULL); }

static void answered(GObject *object, GAsyncResult *result, gpointer data) {
  (void)object;
  (void)result;
  (void)data;
  pageAnswered();
}

static gboolean ask(gpointer data) {
  (void)data;
  /* Its successor needs WebKitGTK 2.40. */
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  webkit_web_view_run_javascript(view, "0", NULL, answered, NULL);
  G_GNUC_END_IGNORE_DEPRECATIONS
  return G_SOURCE_REMOVE;
}

void page_ask(void) { g_idle_add(ask, NULL); }

typedef struct {
  char *title, *text, *again, *quit;
  gboolean dark;
} Given;

static void free_given(gpointer data) {
  Given *g = data;
  g_free(g->title);
  g_free(g->text);
  g_free(g->again);
  g_free(g->quit);
  g_free(g);
}

static void again_pressed(GtkButton *button, gpointer data) {
  (void)button;
  (void)data;
  pageAgain();
}

static void quit_pressed(GtkButton *button, gpointer data) {
  (void)button;
  (void)data;
  pageQuit();
}

static void line(GtkWidget *box, const char *text, const char *name) {
  GtkWidget *label = gtk_label_new(text);
  gtk_widget_set_name(label, name);
  gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 60);
  gtk_label_set_justify(GTK_LABEL(label), GTK_JUSTIFY_CENTER);
  gtk_box_pack_start(GTK_BOX(box), label, FALSE, FALSE, 0);
}

static gboolean give_up(gpointer data) {
  Given *g = data;
  GtkWidget *place = gtk_widget_get_parent(GTK_WIDGET(view));
  if (instead || !GTK_IS_BOX(place))
    return G_SOURCE_REMOVE;
  instead = gtk_box_new(GTK_ORIENTATION_VERTICAL, 16);
  gtk_widget_set_name(instead, "page-given-up");
  gtk_widget_set_halign(instead, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(instead, GTK_ALIGN_CENTER);
  gtk_widget_set_margin_start(instead, 24);
  gtk_widget_set_margin_end(instead, 24);
  line(instead, g->title, "page-given-up-title");
  line(instead, g->text, "page-given-up-text");
  GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_set_halign(buttons, GTK_ALIGN_CENTER);
  GtkWidget *again = gtk_button_new_with_label(g->again), *quit = gtk_button_new_with_label(g->quit);
  g_signal_connect(again, "clicked", G_CALLBACK(again_pressed), NULL);
  g_signal_connect(quit, "clicked", G_CALLBACK(quit_pressed), NULL);
  gtk_box_pack_start(GTK_BOX(buttons), again, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(buttons), quit, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(instead), buttons, FALSE, FALSE, 8);
  /* The theme of GTK may be another one than the page's, whose background it stands on. */
  GtkCssProvider *css = gtk_css_provider_new();
  char *rules = g_strdup_printf("#page-given-up-title { color: %s; font-size: 1.3em; font-weight: bold; } #page-given-up-text { color: %s; }",
                                g->dark ? "#e6e9e3" : "#1d211c", g->dark ? "#a9b0a6" : "#545b52");
  gtk_css_provider_load_from_data(css, rules, -1, NULL);
  g_free(rules);
  gtk_style_context_add_provider_for_screen(gtk_widget_get_screen(place), GTK_STYLE_PROVIDER(css), GTK_STYLE_PROVIDER_PRIORITY_USER);
  g_object_unref(css);
  gtk_box_pack_start(GTK_BOX(place), instead, TRUE, TRUE, 0);
  gtk_widget_hide(GTK_WIDGET(view));
  gtk_widget_show_all(instead);
  gtk_widget_grab_focus(again);
  return G_SOURCE_REMOVE;
}

void page_give_up(const char *title, const char *text, const char *again, const char *quit, gboolean dark) {
  Given *g = g_new(Given, 1);
  *g = (Given){g_strdup(title), g_strdup(text), g_strdup(again), g_strdup(quit), dark};
  g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, give_up, g, free_given);
}
