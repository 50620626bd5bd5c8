/* LD_PRELOAD shim that lets WebKitWebDriver drive the finished, unmodified
 * program. Wails creates its web view itself and not for automation; this
 * library stands before webkit_web_view_new_with_user_content_manager, makes
 * the same view with automation allowed and hands it to the driver's session.
 *
 * It links against nothing of WebKit: every function is looked up in the
 * program that is running. driver.mjs compiles it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <webkit2/webkit2.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
  void *f = dlsym(RTLD_NEXT, name);
  if (!f) {
    fprintf(stderr, "automate: the program has no %s\n", name);
    abort();
  }
  return f;
}

static WebKitWebView *view;

static WebKitWebView *give_view(WebKitAutomationSession *session, gpointer data) {
  (void)session;
  (void)data;
  return view;
}

static void on_started(WebKitWebContext *context, WebKitAutomationSession *session, gpointer data) {
  (void)context;
  (void)data;
  /* Without a name and a version the driver refuses the session. */
  WebKitApplicationInfo *info = REAL(webkit_application_info_new)();
  REAL(webkit_application_info_set_name)(info, "mutsumi");
  REAL(webkit_application_info_set_version)(info, 1, 0, 0);
  REAL(webkit_automation_session_set_application_info)(session, info);
  REAL(webkit_application_info_unref)(info);
  g_signal_connect(session, "create-web-view", G_CALLBACK(give_view), NULL);
}

/* A page whose script fails at its first step: with AUTOMATE_BROKEN the first one is. */
static void mend(WebKitWebView *web_view, WebKitLoadEvent event, gpointer manager) {
  (void)web_view;
  if (event == WEBKIT_LOAD_FINISHED)
    REAL(webkit_user_content_manager_remove_all_scripts)(manager);
}

static void spoil(WebKitUserContentManager *manager) {
  WebKitUserScript *script = REAL(webkit_user_script_new)("document.getElementById = () => null", WEBKIT_USER_CONTENT_INJECT_TOP_FRAME,
                                                          WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, NULL, NULL);
  REAL(webkit_user_content_manager_add_script)(manager, script);
  REAL(webkit_user_script_unref)(script);
  g_signal_connect(view, "load-changed", G_CALLBACK(mend), manager);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager) {
  WebKitWebContext *context = REAL(webkit_web_context_get_default)();
  REAL(webkit_web_context_set_automation_allowed)(context, TRUE);
  g_signal_connect(context, "automation-started", G_CALLBACK(on_started), NULL);
  view = g_object_new(REAL(webkit_web_view_get_type)(), "is-controlled-by-automation", TRUE,
                      "user-content-manager", manager, NULL);
  if (getenv("AUTOMATE_BROKEN"))
    spoil(manager);
  return GTK_WIDGET(view);
}

/* WebKit's helper processes are to run as they do for a person. */
__attribute__((constructor)) static void once(void) { unsetenv("LD_PRELOAD"); }
