// The views of the window, one after another, for checks of all of them.
import { App } from './app.mjs'
import { notebookText } from './world.mjs'

/** Runs a prompt of the offline guide in the notebook on view. */
async function ask(page, prompt) {
  await page.locator('article.cell .prompt').last().click()
  await page.locator('.cm-editor.cm-focused').waitFor()
  await page.keyboard.insertText(prompt)
  await page.keyboard.press('Shift+Enter')
}

/** Each view: how to get there from a notebook, what is there then, and options of `started`. */
export const views = {
  'a notebook': [],
  'the empty folder': [
    undefined,
    (page) => page.getByText('An agent is a notebook of prompts and answers, kept as a plain file in this folder.'),
    { files: {} },
  ],
  'an agent that runs': [
    // It falls silent inside its answer, so that the view stands still.
    (page) => ask(page, '/demo stall'),
    (page) => page.getByRole('button', { name: 'Stop', exact: true }).first(),
  ],
  'a waiting approval': [
    (page) => ask(page, '/demo tool shell {"command": "git push && rm -rf build"}'),
    (page) => page.getByRole('region', { name: 'Waiting for you' }),
  ],
  'the context': [
    async (page) => {
      const show = page.getByRole('button', { name: 'Show the context' })
      if (await show.isVisible()) await show.click()
    },
    (page) => page.getByRole('complementary', { name: 'Context' }),
  ],
  'the flight deck': [(page) => page.keyboard.press('Control+Shift+D'), (page) => page.getByRole('region', { name: 'Flight deck' })],
  'what will be sent': [
    (page) => page.keyboard.press('Control+Shift+P'),
    (page) => page.getByRole('region', { name: 'What will be sent' }),
  ],
  'the palette': [(page) => page.keyboard.press('Control+k'), (page) => page.getByRole('dialog')],
  'the keys': [(page) => page.getByRole('button', { name: 'All keys' }).click(), (page) => page.getByRole('dialog')],
  'find and replace': [(page) => page.keyboard.press('Control+h'), (page) => page.getByRole('search').first()],
  'the branch lab': [(page) => page.keyboard.press('Control+Shift+B'), (page) => page.getByRole('region', { name: 'Branch lab' })],
  ...Object.fromEntries(
    ['Models', 'Agents', 'Appearance', 'Keys', 'Images', 'Running', 'MCP servers', 'Privacy', 'Approvals'].map((section) => [
      `the settings of ${section}`,
      [
        async (page) => {
          await page.keyboard.press('Control+,')
          await page.getByRole('dialog').getByRole('tab', { name: section }).click()
        },
        (page) => page.getByRole('tabpanel', { name: section }),
      ],
    ]),
  ),
}

/** Opens a notebook of two cells, the first of which has the keyboard; in a folder without it nothing. */
export async function started(t, options) {
  const app = await App.start(t, {
    files: {
      '.mutsumi/one.mtm': notebookText('One', [
        ['# 水やり: how much?', 'About **10 mm** a week.'],
        ['And in June?', 'More.'],
      ]),
      'notes.md': '# Notes\n',
    },
    ...options,
  })
  if (options?.files) return app
  await app.openAgent('One')
  await app.page.locator('article.cell').first().focus()
  return app
}
