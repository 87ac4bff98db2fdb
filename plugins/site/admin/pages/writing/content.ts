import type { Awaitable } from '../../../../../kernel/index.ts'
import { offThread } from '../../../../library/long-work/index.ts'
import { errors } from '../../errors.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Draft } from './draft.ts'
import { blocksOfMarkdown } from './markdown.ts'

/** Characters of a Markdown text. Longer texts would block the worker for more than two seconds. */
export const MAX_MARKDOWN_CHARACTERS = 300_000

const toBlocks = offThread(blocksOfMarkdown, { importer: import.meta.url, module: './markdown' })

/**
 * Converts the content of a draft to the stored format.
 * @throws admin_markdown_too_long, or rest_unavailable if too many long texts are queued
 */
export function contentOf({ plugin }: AdminView, { mode, content }: Draft): Awaitable<string> {
  if (mode !== 'markdown') return content
  if (content.length > MAX_MARKDOWN_CHARACTERS) throw errors.admin_markdown_too_long(MAX_MARKDOWN_CHARACTERS)
  return toBlocks(content, plugin.branding.blockMark)
}
