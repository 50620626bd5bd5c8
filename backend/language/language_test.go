package language

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	cases := []struct{ choice, accept, lang, want string }{
		{English, "zh-CN", "zh_CN.UTF-8", English},
		{Chinese, "en-US", "en_US.UTF-8", Chinese},
		{System, "zh-CN,zh;q=0.9,en;q=0.8", "en_US.UTF-8", Chinese},
		{System, "de-DE,en;q=0.8,zh;q=0.5", "zh_CN.UTF-8", English},
		{System, "fr", "zh_CN.UTF-8", English},
		{System, "zh-TW,zh-Hans;q=0.5", "", Chinese},
		{System, "zh-Hant-HK", "", English},
		{System, "", "zh_CN.UTF-8", Chinese},
		{System, "", "zh_TW.UTF-8", English},
		{System, "", "C.UTF-8", English},
		{"", "", "", English},
		{"xx", "", "zh_SG", Chinese},
	}
	for _, c := range cases {
		t.Setenv("LC_ALL", "")
		t.Setenv("LC_MESSAGES", "")
		t.Setenv("LANG", c.lang)
		if got := Choose(c.choice, c.accept); got != c.want {
			t.Errorf("Choose(%q, %q) with LANG=%q = %q, want %q", c.choice, c.accept, c.lang, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	c := Catalogue{Language: Chinese, Texts: map[string]any{"Copy {0} to {1}": "把 {0} 复制到 {1}", "{0} cell|{0} cells": "{0} 个单元格"}}
	if got := c.Text("Copy {0} to {1}", "{1}", "b"); got != "把 {1} 复制到 b" {
		t.Errorf("a field that looks like a field: %q", got)
	}
	if got := c.Text("Not {0} there", "x"); got != "Not x there" {
		t.Errorf("a text without a translation: %q", got)
	}
}

func TestScript(t *testing.T) {
	script := string(Script(Chinese))
	body, ok := strings.CutPrefix(script, "globalThis.mutsumiCatalogue = ")
	var c Catalogue
	if err := json.Unmarshal([]byte(body), &c); !ok || err != nil || c.Language != Chinese {
		t.Errorf("the script is %.60q: %v", script, err)
	}
	if strings.Contains(string(Script(English)), "Catalogue") {
		t.Error("English has a catalogue")
	}
	Of(Chinese) // a catalogue that cannot be read panics
}
