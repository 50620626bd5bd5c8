package cli_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"
)

// A run that is started before the models of a new provider are known is answered by one of them,
// and not by the offline guide.
func TestTheFirstRunWaitsForTheModels(t *testing.T) {
	d := newDemo(t, fine)
	to, err := url.Parse(d.model.URL)
	if err != nil {
		t.Fatal(err)
	}
	to.Path = ""
	forward := httputil.NewSingleHostReverseProxy(to)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			time.Sleep(time.Second)
		}
		forward.ServeHTTP(w, r)
	}))
	defer slow.Close()
	d.env = []string{"OPENAI_BASE_URL=" + slow.URL + "/v1", "OPENAI_API_KEY=k"}
	d.open(t)
	if body := d.sent("a.mtm", d.typeIn("a.mtm", "hello")); len(body) == 0 {
		t.Error("the request is empty")
	}
}
