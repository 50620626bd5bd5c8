/** The examples of the CommonMark specification (CC BY-SA 4.0), for tests. */
declare module 'commonmark-spec' {
  export const tests: readonly { markdown: string; html: string; section: string; number: number }[]
}
