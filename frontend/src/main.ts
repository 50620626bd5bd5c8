import { mount } from 'svelte'
import App from './App.svelte'
import './app.css'
import { AppState } from './app.svelte'

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app')

const app = new AppState()
mount(App, { target, props: { app } })
app.start()
