import { BlockSplitter } from './MarkdownBlocks'
import { closeOpen } from './MarkdownClose'
import { parseWith } from './MarkdownDoc.svelte'
import { toHTML } from './MarkdownHtml'
import { Section, shared } from './MarkdownSection'

/* The parser of Markdown, imported by what shows it: 150 kB that a window without a notebook on view does not load. */
parseWith({ splitter: () => new BlockSplitter(), section: (blocks) => new Section(blocks), toHTML, closeOpen, shared })
