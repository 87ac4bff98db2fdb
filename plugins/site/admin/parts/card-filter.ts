import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'
import { textField } from './fields.ts'

/** Scripts and styles of pages with filtered cards. */
export const CARD_FILTER = { scripts: ['core/cards.js'], styles: ['core/cards.css'] }

/** Returns the search of a page with cards, in lower case. */
export const cardSearch = ({ query }: AdminView): string => (query.get('search') ?? '').trim().toLowerCase()

/** Renders cards with a field that filters them: a script while the user types, otherwise the server. */
export function filteredCards(view: AdminView, cards: readonly PageHtml[], empty: string): PageHtml {
  const { t, query } = view
  const search = query.get('search') ?? ''
  const clear = search === '' ? null : html`<a href="${view.url(view.path)}">${t('Clear filters')}</a>`
  return html`<form
      method="get"
      action="${view.url(view.path)}"
      class="filters"
      role="search"
      data-filter-cards
      data-found="${t('Results: {count}')}"
    >
      ${textField({ name: 'search', label: t('Search'), value: search, type: 'search' })}
      <button type="submit">${t('Search')}</button>
      ${clear}
    </form>
    <p class="empty" data-no-cards ${cards.length > 0 ? html` hidden` : null}>${empty}</p>
    <div class="cards">${cards}</div>`
}
