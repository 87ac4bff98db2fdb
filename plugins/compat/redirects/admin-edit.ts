import { html, type AdminContent, type AdminView, type RestError, type SitePage } from '../../public.ts'
import { alertHtml, attemptChange, fieldsHtml, groupsOf, submitted, type ShownRedirect } from './admin-form.ts'

/** Shows the form of a redirect. */
export function show(view: AdminView): Promise<AdminContent> {
  return page(view, null)
}

async function page(view: AdminView, error: RestError | null): Promise<AdminContent> {
  const redirect = await redirectOf(view)
  if (redirect === undefined) return { status: 404, main: html`<p>${view.t('This redirect no longer exists.')}</p>` }
  return {
    ...(error !== null && { status: 400 }),
    main: html`${alertHtml(view, error)} ${view.formStart('save')} ${fieldsHtml(view, await groupsOf(view), redirect)}
      <p><button type="submit" class="primary">${view.t('Save')}</button></p></form>`,
  }
}

async function redirectOf(view: AdminView): Promise<ShownRedirect | undefined> {
  const query = { filterBy: { id: view.params['id'] } }
  const { data } = await view.ask<{ items: ShownRedirect[] }>('GET', '/redirection/v1/redirect', { query })
  return data.items[0]
}

export const actions = {
  async save(view: AdminView): Promise<AdminContent | SitePage> {
    const redirect = await redirectOf(view)
    if (redirect === undefined) return page(view, null)
    const error = await attemptChange(view, `redirect/${redirect.id}`, { body: submitted(view, redirect) })
    if (error !== null) return page(view, error)
    return view.redirect(view.url('redirects'), { kind: 'done', text: view.t('Redirects updated.') })
  },
}
