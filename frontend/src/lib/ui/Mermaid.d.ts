/** The part of mermaid that diagram.ts uses. */
declare module 'mermaid' {
  const mermaid: {
    initialize(config: Record<string, unknown>): void
    /** Draws inside an element of the page and resolves with the drawing as text; rejects if the source is invalid. */
    render(id: string, source: string, into: Element): Promise<{ svg: string }>
    mermaidAPI: { defaultConfig: Record<string, unknown> }
  }
  export default mermaid
}
