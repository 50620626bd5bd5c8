#include <glib.h>

/* Any thread may call these: what they do is done later, on GTK's own thread. */
void page_watch(guint every_ms);
void page_load(void);
void page_end(void);
void page_ask(void);
void page_give_up(const char *title, const char *text, const char *again, const char *quit, gboolean dark);
