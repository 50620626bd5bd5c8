import { mount } from 'svelte'
import App from './App.svelte'
import './app.css'
import { AppState } from './app.svelte'
import { t } from '$lib/language/language'

const target = document.getElementById('app')
if (!target) throw new Error(t`index.html has no #app`)

const app = new AppState()
mount(App, { target, props: { app } })
app.start()
