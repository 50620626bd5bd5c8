package preview

import (
	"fmt"

	"mutsumi/backend/prompt"
)

// untaken lists the parts of the request that the model does not accept, according to the settings
// (SPEC 12.2).
func (u upcoming) untaken() []Warning {
	all := []Warning{}
	model := u.Endpoint.Model
	if model.ID == "" {
		return all
	}
	images := 0
	for _, p := range u.built.Parts {
		if p.Kind == prompt.KindImage && p.Message >= 0 {
			images++
		}
	}
	what := "an image"
	if images > 1 {
		what = fmt.Sprintf("%d images", images)
	}
	if images > 0 && !model.Images {
		all = append(all, Warning{Text: fmt.Sprintf("%s takes no images, as its settings say, and this request has %s: the server may refuse it. Choose another model, or switch images off below.", model.ID, what)})
	}
	if !model.Tools && len(u.Role.Tools) > 0 {
		all = append(all, Warning{Text: fmt.Sprintf("%s takes no tools, as its settings say: the agent can only answer.", model.ID)})
	}
	return all
}
