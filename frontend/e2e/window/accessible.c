/*
 * What a screen reader gets of a program, over the accessibility bus.
 *
 * accessible PID prints one line for each object, indented by its depth, with
 * its role, its name in quotes (or its text), and its states of interest.
 * accessible PID ROLE NAME presses the first object of that role and name, as a
 * screen reader does: with its first action. It exits with 3 when there is none.
 */
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 60, WAIT_MS = 5000 };

static GDBusConnection *bus;

static GVariant *call(const char *name, const char *path, const char *interface, const char *method, GVariant *arguments)
{
	GError *error = NULL;
	GVariant *got = g_dbus_connection_call_sync(bus, name, path, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, WAIT_MS, NULL, &error);
	if (!got) {
		if (getenv("ACCESSIBLE_DEBUG"))
			fprintf(stderr, "%s %s %s: %s\n", name, path, method, error->message);
		g_error_free(error);
	}
	return got;
}

static guint pid_of(const char *name)
{
	guint pid = 0;
	GVariant *got = call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", g_variant_new("(s)", name));
	if (got) {
		g_variant_get(got, "(u)", &pid);
		g_variant_unref(got);
	}
	return pid;
}

/* States of the specification that say what a person can do. */
static const struct { int bit; const char *name; } states[] = {
	{ 4, "checked" }, { 7, "editable" }, { 10, "expanded" }, { 12, "focused" }, { 16, "modal" }, { 23, "selected" },
};

/* Roles of the specification, by their number: WebKit gives no names. */
static const struct { guint number; const char *name; } roles[] = {
	{ 7, "check box" }, { 11, "combo box" }, { 16, "dialog" }, { 20, "filler" }, { 23, "frame" }, { 27, "image" }, { 29, "label" }, { 31, "list" },
	{ 32, "list item" }, { 33, "menu" }, { 35, "menu item" }, { 37, "tab" }, { 38, "tab list" }, { 39, "panel" }, { 42, "progress bar" },
	{ 43, "button" }, { 44, "radio button" }, { 49, "scroll pane" }, { 50, "separator" }, { 51, "slider" }, { 54, "status" }, { 55, "table" }, { 61, "text" }, { 62, "toggle button" },
	{ 65, "tree" }, { 73, "paragraph" }, { 75, "application" }, { 79, "entry" }, { 83, "heading" }, { 85, "section" }, { 88, "link" },
	{ 91, "tree item" }, { 95, "document" }, { 98, "list box" }, { 90, "row" }, { 56, "table cell" }, { 10, "column header" }, { 99, "grouping" }, { 101, "notification" }, { 109, "article" },
	{ 110, "landmark" }, { 111, "log" }, { 116, "static" }, { 119, "alert" },
};

static const char *press_role, *press_name;

/* Presses what was asked for, and ends the program. */
static void press(const char *name, const char *path)
{
	gboolean done = FALSE;
	GVariant *got = call(name, path, "org.a11y.atspi.Action", "DoAction", g_variant_new("(i)", 0));
	if (got)
		g_variant_get(got, "(b)", &done);
	exit(done ? 0 : 1);
}

static void print(const char *name, const char *path, int depth)
{
	if (depth > MAX_DEPTH)
		return;
	const char *accessible = "org.a11y.atspi.Accessible";
	char role[24], *label = NULL;
	guint number = 0;
	GVariant *got = call(name, path, accessible, "GetRole", NULL);
	if (!got)
		return;
	g_variant_get(got, "(u)", &number);
	g_variant_unref(got);
	snprintf(role, sizeof role, "role %u", number);
	for (gsize i = 0; i < G_N_ELEMENTS(roles); i++)
		if (roles[i].number == number)
			snprintf(role, sizeof role, "%s", roles[i].name);
	got = call(name, path, "org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", accessible, "Name"));
	if (got) {
		GVariant *value = NULL;
		g_variant_get(got, "(v)", &value);
		label = g_variant_dup_string(value, NULL);
		g_variant_unref(value);
		g_variant_unref(got);
	}
	if (!label || !*label) { /* what has no name may have words */
		got = call(name, path, "org.a11y.atspi.Text", "GetText", g_variant_new("(ii)", 0, -1));
		if (got) {
			g_free(label);
			g_variant_get(got, "(s)", &label);
			g_variant_unref(got);
			g_strdelimit(label, "\n\"", ' ');
		}
	}
	if (press_role && label && strcmp(role, press_role) == 0 && strcmp(label, press_name) == 0)
		press(name, path);
	printf("%*s%s \"%s\"", depth * 2, "", role, label ? label : "");
	got = call(name, path, accessible, "GetState", NULL);
	if (got) {
		GVariant *list = g_variant_get_child_value(got, 0);
		gsize n = 0;
		const guint32 *bits = g_variant_get_fixed_array(list, &n, sizeof *bits);
		for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
			if (n > 0 && (bits[states[i].bit / 32] >> (states[i].bit % 32) & 1))
				printf(" %s", states[i].name);
		g_variant_unref(list);
		g_variant_unref(got);
	}
	printf("\n");
	g_free(label);
	/* The page is a child of the web view in another process: the list of children leaves it out. */
	const char *null = "/org/a11y/atspi/null";
	for (int i = 0;; i++) {
		got = call(name, path, accessible, "GetChildAtIndex", g_variant_new("(i)", i));
		if (!got)
			return;
		const char *child_name, *child_path;
		g_variant_get(got, "((&s&o))", &child_name, &child_path);
		int end = !*child_name || g_str_equal(child_path, null);
		if (!end)
			print(child_name, child_path, depth + 1);
		g_variant_unref(got);
		if (end)
			return;
	}
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 4)
		return 2;
	guint wanted = (guint)atoi(argv[1]);
	if (argc == 4) {
		press_role = argv[2];
		press_name = argv[3];
	}
	GError *error = NULL;
	bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
	if (!bus) {
		fprintf(stderr, "Could not reach the session bus: %s\n", error->message);
		return 1;
	}
	char *address = NULL;
	GVariant *got = call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", NULL);
	if (!got) {
		fprintf(stderr, "Could not reach the accessibility bus: is at-spi2-core installed?\n");
		return 1;
	}
	g_variant_get(got, "(s)", &address);
	bus = g_dbus_connection_new_for_address_sync(address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
	if (!bus) {
		fprintf(stderr, "Could not connect to the accessibility bus: %s\n", error->message);
		return 1;
	}
	got = call("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", "org.a11y.atspi.Accessible", "GetChildren", NULL);
	if (!got)
		return 1;
	GVariantIter *programs;
	const char *name, *path;
	g_variant_get(got, "(a(so))", &programs);
	while (g_variant_iter_next(programs, "(&s&o)", &name, &path))
		if (pid_of(name) == wanted)
			print(name, path, 0);
	return press_role ? 3 : 0;
}
