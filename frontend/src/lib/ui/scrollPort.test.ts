import { expect, test } from 'vitest'
import { ScrollPort } from './scrollPort.svelte'

/** A port whose list is long. */
function portOf() {
  const element = { scrollTop: 0, scrollHeight: 5000, clientHeight: 500 } as HTMLElement
  const port = new ScrollPort()
  port.element = element
  const scrolledTo = (top: number) => {
    element.scrollTop = top
    return port.scrolled()
  }
  return { port, scrolledTo }
}

test('the top is somewhere that a person scrolls to, like any other position', () => {
  const { scrolledTo } = portOf()
  expect(scrolledTo(400)).toEqual({ by: 400, ours: false })
  expect(scrolledTo(0)).toEqual({ by: -400, ours: false })
})

test('a person who comes back to where scrollTo went has scrolled there', () => {
  const { port, scrolledTo } = portOf()
  port.scrollTo(400)
  expect(scrolledTo(400)).toEqual({ by: 0, ours: true })
  expect(scrolledTo(900)).toEqual({ by: 500, ours: false })
  expect(scrolledTo(400)).toEqual({ by: -500, ours: false })
})
