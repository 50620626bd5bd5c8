import { BlockSplitter } from './MarkdownBlocks'
import { closeOpen } from './MarkdownClose'
import { parseWith } from './MarkdownDoc.svelte'
import { toHTML } from './MarkdownHtml'
import { Section, shared } from './MarkdownSection'

/* The Markdown parser, imported by components that show Markdown: 150 kB that a window without a notebook does not load. */
parseWith({ splitter: () => new BlockSplitter(), section: (blocks) => new Section(blocks), toHTML, closeOpen, shared })
