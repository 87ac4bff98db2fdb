import { html, tableHtml, type AdminView, type PageHtml } from '../../public.ts'

/** A language as the REST API returns it. */
interface ShownLanguage {
  readonly term_id: number
  readonly name: string
  readonly slug: string
  readonly locale: string
  readonly home_url: string
  readonly is_default: boolean
}

const ROUTE = '/pll/v1/languages'

/** Shows the languages of the site, with a form for another one. */
export async function show(view: AdminView): Promise<{ main: PageHtml }> {
  const { t, plugin } = view
  const { data } = await view.ask<readonly ShownLanguage[]>('GET', ROUTE)
  const rows = data.map(({ term_id: id, name, slug, locale, home_url: url, is_default: isDefault }) => {
    const makeDefault = isDefault ? t('Default language') : view.button(t('Make default'), 'choose', { slug })
    return [
      html`<span lang="${slug}">${plugin.services.plainPages.stored(name)}</span>`,
      slug,
      locale,
      html`<a href="${url}">${url}</a>`,
      makeDefault,
      view.button(t('Delete'), 'remove', { id: String(id) }),
    ]
  })
  const columns = [t('Name'), t('Slug'), t('Locale'), t('URL'), t('Default'), t('Actions')]
  const table =
    data.length === 0
      ? html`<p>${t('Content has no language yet. Add the language of your content first.')}</p>`
      : tableHtml({ caption: t('Languages'), columns, rows })
  return {
    main: html`${table} ${view.formStart('add')}
      <h2>${t('Add language')}</h2>
      <label for="locale">${t('Locale')}</label>
      <input id="locale" name="locale" required pattern="[a-z]{2,3}(_[A-Z]{2})?(_[a-z0-9]+)?" placeholder="fr_FR" />
      <button type="submit">${t('Add language')}</button></form>`,
  }
}

export const actions = {
  async add(view: AdminView) {
    await view.ask('POST', ROUTE, { body: { locale: view.text('locale').trim() } })
    return saved(view)
  },
  async choose(view: AdminView) {
    await view.ask('POST', '/pll/v1/settings', { body: { default_lang: view.text('slug') } })
    return saved(view)
  },
  async remove(view: AdminView) {
    await view.ask('DELETE', `${ROUTE}/${Number(view.text('id'))}`)
    return saved(view)
  },
}

function saved(view: AdminView) {
  return view.redirect(view.url('languages'), { kind: 'done', text: view.t('Saved.') })
}
