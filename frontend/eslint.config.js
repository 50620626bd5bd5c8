import ts from 'typescript-eslint'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import svelteConfig from './svelte.config.js'
import sentences from './eslint/sentences.js'
import unusedProps from './eslint/unusedProps.js'

/* What no file may do, and why; the few files that may are listed below. */
const sleeping = {
  selector: "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
  message: 'A timer is not a signal: wait for the event itself, or use lib/backend/wait.ts, which can be ended.',
}
const html = {
  selector: 'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
  message: 'HTML is made only in lib/ui/Markdown, behind DOMPurify.',
}
const blobs = {
  selector: 'NewExpression[callee.name=/^(Blob|File|FormData)$/]',
  message: 'A fetch with a Blob or FormData crashes WebKitGTK: send strings or typed arrays through lib/backend.',
}
const shortWaits = {
  selector: "MemberExpression[object.name='vi'][property.name=/^(waitFor|waitUntil)$/]",
  message: 'It gives up after a second, which a busy machine may need: use lib/testing/waits.ts.',
}
const formatters = {
  selector: "NewExpression[callee.object.name='Intl']:not(:function NewExpression)",
  message: 'The first frame would wait for it: make it when it is first used, with whenUsed of lib/format.',
}
const network = ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'].map((name) => ({
  name,
  message: 'Only lib/backend talks to the backend.',
}))
const storage = ['localStorage', 'sessionStorage'].map((name) => ({
  name,
  message: 'The first frame would wait until another process has opened it: the program keeps what should last.',
}))

export default ts.config(
  { ignores: ['dist/', 'wailsjs/', 'node_modules/', 'public/'] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: {
      globals: { ...globals.browser },
      parserOptions: { projectService: true, extraFileExtensions: ['.svelte'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-restricted-syntax': ['error', sleeping, html, blobs, formatters],
      'no-restricted-globals': ['error', ...network, ...storage],
      'no-restricted-properties': [
        'error',
        { object: 'window', property: 'fetch' },
        { object: 'globalThis', property: 'fetch' },
        { object: 'navigator', property: 'sendBeacon' },
      ],
      'no-eval': 'error',
      'no-console': ['error', { allow: ['error'] }],
      eqeqeq: 'error',
      'svelte/no-at-html-tags': 'error',
      'svelte/require-each-key': 'error',
      // The project has no router; links of answers are opened by the backend.
      'svelte/no-navigation-without-resolve': 'off',
      // svelte-check runs with --fail-on-warnings and knows better which ignores are needed.
      'svelte/no-unused-svelte-ignore': 'off',
      // A Map that nothing draws from stays a plain Map.
      'svelte/prefer-svelte-reactivity': 'off',
      // There are no stores; an import of svelte/store is an error instead.
      'svelte/require-store-reactive-access': 'off',
      'no-restricted-imports': ['error', { name: 'svelte/store', message: 'State is made of runes.' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  // No rule asks for the types of a component, which cost more than everything else here together.
  {
    files: ['**/*.svelte'],
    languageOptions: { parserOptions: { projectService: false } },
    plugins: { local: { rules: { 'unused-props': unusedProps } } },
    rules: { 'local/unused-props': 'error', 'svelte/no-unused-props': 'off' },
  },
  {
    files: ['src/**'],
    ignores: [
      '**/*.test.ts',
      '**/*.bench.ts',
      '**/*testing*',
      'src/lib/language/**',
      'src/lib/ui/keys.ts',
      'src/lib/backend/order.ts',
      'src/features/notebook/summaryText.ts',
    ],
    plugins: { words: { rules: { sentences } } },
    rules: { 'words/sentences': 'error' },
  },
  { files: ['src/lib/backend/**'], rules: { 'no-restricted-globals': 'off' } },
  {
    files: ['src/lib/ui/Markdown*.{ts,svelte}'],
    rules: { 'no-restricted-syntax': ['error', sleeping, blobs, formatters], 'svelte/no-at-html-tags': 'off' },
  },
  {
    files: ['**/*.test.ts', '**/testing.ts', 'e2e/**', '*.config.{js,ts}', 'vite.config.ts'],
    languageOptions: { globals: { ...globals.node } },
    rules: {
      'no-restricted-syntax': ['error', sleeping, shortWaits],
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-console': 'off',
    },
  },
  // What drives a program from outside has to poll it; the tests themselves use these helpers.
  { files: ['e2e/**'], ignores: ['e2e/**/*.test.*'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['eslint.config.js', 'svelte.config.js'], ...ts.configs.disableTypeChecked },
)
