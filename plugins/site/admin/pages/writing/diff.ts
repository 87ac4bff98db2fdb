import { html, PageHtml } from '../../../../library/markup/index.ts'
import { mapInSlices, offThread } from '../../../../library/long-work/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { changesOf, type Change } from './changes.ts'

/** A text in two versions, with its label. */
export type Compared = readonly [label: string, before: string, after: string]

const compare = offThread(changesOf, { importer: import.meta.url, module: './changes' })

/**
 * Renders the differences of texts below their labels; additions and removals are also marked for screen readers. Equal
 * texts are omitted.
 * @throws rest_unavailable if too many long texts are queued
 */
export async function diffHtml({ t }: AdminView, texts: readonly Compared[]): Promise<PageHtml[]> {
  const changed = texts.filter(([, before, after]) => before !== after)
  const changes = await compare(changed.map(([, before, after]) => [before, after] as const))
  const marks = {
    added: [t('added:'), t('end of added text')],
    removed: [t('removed:'), t('end of removed text')],
  }
  const shown = ({ kind, text }: Change): string => {
    if (kind === 'same') return html`${text}`.text
    const [start, end] = marks[kind]
    const inner = html`<span class="hidden">[${start} </span>${text}<span class="hidden"> ${end}]</span>`
    return (kind === 'added' ? html`<ins>${inner}</ins>` : html`<del>${inner}</del>`).text
  }
  return mapInSlices(changed, async ([label], index) => {
    const parts = await mapInSlices(changes[index]!, shown)
    return html`<h3>${label}</h3>
      <pre class="diff" tabindex="0" role="group" aria-label="${label}">${new PageHtml(parts.join(''))}</pre>`
  })
}
