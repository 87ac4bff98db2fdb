import type { SitePage } from '../../../../../kernel/index.ts'
import { escapeHtml, html, type PageHtml } from '../../../../library/markup/index.ts'
import { textArea, textField } from '../../parts/fields.ts'
import type { AdminView } from '../../frame/view.ts'

/** Renders a form that stores a new draft; null for users who cannot write posts. */
export function quickDraft(view: AdminView): PageHtml | null {
  const { t } = view
  if (!view.can('edit_posts')) return null
  return html`${view.formStart('draft')}
  ${textField({ name: 'title', label: t('Title'), value: '', id: 'draft-title' })}
  ${textArea({ name: 'content', label: t('Content'), value: '', rows: 3, id: 'draft-content' })}
    <button type="submit">${t('Save draft')}</button></form>`
}

/** Stores the draft of the form, with one paragraph block for each line. */
export async function saveDraft(view: AdminView): Promise<SitePage> {
  const { t, plugin } = view
  const [title, text] = [view.text('title').trim(), view.text('content').trim()]
  if (title === '' && text === '')
    return view.redirect(view.url(''), { kind: 'error', text: t('Enter a title or some content.') })
  const mark = plugin.branding.blockMark
  const lines = text.split(/\s*\n\s*/).filter((line) => line !== '')
  const content = lines.map(
    (line) => `<!-- ${mark}:paragraph -->\n<p>${escapeHtml(line)}</p>\n<!-- /${mark}:paragraph -->`,
  )
  const { data } = await view.ask<{ id: number }>('POST', 'posts', {
    body: { title, content: content.join('\n\n'), status: 'draft' },
  })
  return view.redirect(view.url(''), {
    kind: 'done',
    text: t('Draft saved.'),
    link: { href: view.url(`content/post/${data.id}`), label: t('Edit') },
  })
}
