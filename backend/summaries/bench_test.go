package summaries_test

import (
	"strings"
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// BenchmarkStepsBesideASummary is a run of twenty steps, alone and while a summary of
// the conversation is prepared that takes longer than all of them.
func BenchmarkStepsBesideASummary(b *testing.B) {
	for name, compact := range map[string]string{"alone": settings.CompactAsk, "beside": settings.CompactAuto} {
		b.Run(name, func(b *testing.B) {
			steps := strings.Repeat("answer when \"Work.\"\ntool ls {\"uri\": \".\"}\n", 20)
			var d *bench
			for b.Loop() {
				b.StopTimer()
				d = makeBench(b, "lenient\nanswer always when \"### Person [\"\nstall\n"+steps+"answer always\n"+said+filler+filler, false, window(17_200))
				if err := d.ChangePreferences(settings.Preferences{}, settings.Preferences{Compact: compact}); err != nil {
					b.Fatal(err)
				}
				for range 4 { // to 85 % of the trigger, and not to it
					d.ask("Why is it slow?")
				}
				made, err := d.Edit(d.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "Work."}}, "")
				if err != nil {
					b.Fatal(err)
				}
				ends := d.ends()
				b.StartTimer()
				if _, err := d.Run(d.path, made.ID, runner.RunCell); err != nil {
					b.Fatal(err)
				}
				ends()
				b.StopTimer()
				if prepared := d.requestsFor() > 0; prepared != (compact == settings.CompactAuto) || len(d.summaryCells()) > 0 {
					b.Fatalf("%d requests for summaries, %d summaries", d.requestsFor(), len(d.summaryCells()))
				}
				b.StartTimer()
			}
		})
	}
}
