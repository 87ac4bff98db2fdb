import type { Awaitable } from '../../../../../kernel/index.ts'
import { offThread } from '../../../../library/long-work/index.ts'
import { errors } from '../../errors.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Draft } from './draft.ts'
import { editedBlocks, markdownOfBlocks } from './blocks-to-markdown.ts'
import type { Item } from './item.ts'

/** Characters of a Markdown text. Longer texts would block the worker for more than two seconds. */
export const MAX_MARKDOWN_CHARACTERS = 300_000

const toBlocks = offThread(editedBlocks, { importer: import.meta.url, module: './blocks-to-markdown' })
const toMarkdown = offThread(markdownOfBlocks, { importer: import.meta.url, module: './blocks-to-markdown' })

/**
 * Converts the content of a draft to the stored format. Blocks of the stored post whose Markdown is unchanged keep their bytes.
 * @throws admin_markdown_too_long, or rest_unavailable if too many long texts are queued
 */
export function contentOf({ plugin }: AdminView, { mode, content }: Draft, item: Item | null): Awaitable<string> {
  if (mode !== 'markdown') return content
  if (content.length > MAX_MARKDOWN_CHARACTERS) throw errors.admin_markdown_too_long(MAX_MARKDOWN_CHARACTERS)
  const stored = item?.content?.raw ?? ''
  return toBlocks(content, plugin.branding.blockMark, stored.length > MAX_MARKDOWN_CHARACTERS ? '' : stored)
}

/**
 * Converts blocks to Markdown; null if the content has text outside of blocks.
 * @throws admin_markdown_too_long, or rest_unavailable if too many long texts are queued
 */
export function markdownOfContent({ plugin }: AdminView, content: string): Awaitable<string | null> {
  if (content.length > MAX_MARKDOWN_CHARACTERS) throw errors.admin_markdown_too_long(MAX_MARKDOWN_CHARACTERS)
  return toMarkdown(content, plugin.branding.blockMark)
}
