package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"mutsumi/backend/fault"
)

// Calls returns the handler of POST /api/call/NAME: the exported methods of
// app, the same that the window binds. The body is a JSON array of the
// arguments; the answer is the result, or null. A panic becomes an error.
func Calls(app any) http.Handler {
	methods := map[string]reflect.Value{}
	v := reflect.ValueOf(app)
	for i := range v.NumMethod() {
		methods[v.Type().Method(i).Name] = v.Method(i)
	}
	return reply(func(r *http.Request) (any, error) {
		name := r.PathValue("name")
		m, ok := methods[name]
		if !ok {
			return nil, fault.New(fault.NotFound, "there is no call %q", name)
		}
		var raw []json.RawMessage
		if err := readJSON(r, &raw); err != nil {
			return nil, err
		}
		return call(name, m, raw)
	})
}

func call(name string, m reflect.Value, raw []json.RawMessage) (result any, err error) {
	t := m.Type()
	if len(raw) != t.NumIn() {
		return nil, fault.New(fault.Invalid, "%s takes %d arguments, not %d", name, t.NumIn(), len(raw))
	}
	in := make([]reflect.Value, t.NumIn())
	for i := range in {
		p := reflect.New(t.In(i))
		if err := json.Unmarshal(raw[i], p.Interface()); err != nil {
			return nil, fault.New(fault.Invalid, "%s, argument %d: %w", name, i+1, err)
		}
		in[i] = p.Elem()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %v", name, p)
		}
	}()
	for _, out := range m.Call(in) {
		if e, ok := out.Interface().(error); ok {
			return nil, e
		} else if !out.Type().Implements(reflect.TypeFor[error]()) {
			result = out.Interface()
		}
	}
	return result, nil
}
