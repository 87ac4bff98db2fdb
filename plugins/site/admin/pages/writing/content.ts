import type { AdminView } from '../../frame/view.ts'
import type { Draft } from './draft.ts'
import { blocksOfMarkdown } from './markdown.ts'

/** The content of a draft as it is stored. @throws admin_markdown_too_long */
export function contentOf({ plugin }: AdminView, { mode, content }: Draft): string {
  return mode === 'markdown' ? blocksOfMarkdown(content, plugin.branding.blockMark) : content
}
