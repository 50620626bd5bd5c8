import '$lib/backend/firstSnapshot'
import { mount } from 'svelte'
import App from './App.svelte'
import './app.css'
import { AppState } from './app.svelte'
import { showKeyboardFocus } from '$lib/ui/keyboardFocus'
import { language } from '$lib/language/language'
import { t } from '$lib/language/language'

const target = document.getElementById('app')
if (!target) throw new Error(t`index.html has no #app`)

document.documentElement.lang = language
showKeyboardFocus()
const app = new AppState()
// The program collects its state while the page builds its own.
app.start()
mount(App, { target, props: { app } })
