import { html, RestError, type AdminContent, type AdminView, type PageHandlers } from '../../public.ts'
import { fieldsHtml } from './admin-fields.ts'
import {
  definitionOf,
  errorsOf,
  newForm,
  sentForm,
  storedForm,
  type DefinitionForm,
  type FormErrors,
} from './admin-form.ts'
import type { CustomTypes, DefinitionKind } from './service.ts'

/** The form of a content type or taxonomy. */
export function editPage(customTypes: CustomTypes): PageHandlers {
  /** Returns the stored definition of the URL, or a new one; undefined for a definition that does not exist. */
  const formOf = async (view: AdminView): Promise<DefinitionForm | undefined> => {
    const kind = kindOf(view)
    const { name } = view.params
    if (kind === undefined) return undefined
    if (name === undefined) return newForm(kind)
    const values = (await customTypes.stored(kind)).get(name)
    return values === undefined ? undefined : storedForm(kind, name, values)
  }
  return {
    async show(view) {
      const form = await formOf(view)
      return form === undefined ? missing(view) : page(view, form)
    },
    actions: {
      async save(view) {
        const before = await formOf(view)
        if (before === undefined) return missing(view)
        const isNew = view.params['name'] === undefined
        const form = sentForm(view, before)
        const errors = errorsOf(view, form, await customTypes.stored(form.kind), isNew)
        if (Object.keys(errors).length > 0) return page(view, form, errors)
        try {
          await customTypes.save(form.kind, form.name, definitionOf(form))
        } catch (error) {
          if (!(error instanceof RestError) || error.status >= 500) throw error
          return page(view, form, { name: view.t(error.message) })
        }
        const text = view.t('Saved. The change takes effect within a few seconds.')
        return view.redirect(view.url(`content-types/${form.kind}/${form.name}`), { kind: 'done', text })
      },
    },
  }
}

function kindOf(view: AdminView): DefinitionKind | undefined {
  const { kind } = view.params
  return kind === 'type' || kind === 'taxonomy' ? kind : undefined
}

function missing(view: AdminView): AdminContent {
  return { status: 404, main: html`<p>${view.t('This content type or taxonomy no longer exists.')}</p>` }
}

/** Renders a form: the stored one, or a refused one with its errors. */
function page(view: AdminView, form: DefinitionForm, errors: FormErrors = {}): AdminContent {
  const { t } = view
  const isNew = view.params['name'] === undefined
  const isRefused = Object.keys(errors).length > 0
  const title = form.kind === 'type' ? t('Add content type') : t('Add taxonomy')
  const alert = html`<div class="notice error" role="alert">
    <p>${t('Not saved. Please fix the highlighted fields.')}</p>
  </div>`
  return {
    title: isNew ? title : t('Edit “{title}”', { title: form.name }),
    ...(isRefused && { status: 400 }),
    headingActions: html`<a href="${view.url('content-types')}">${t('← Back to list')}</a>`,
    main: html`${isRefused ? alert : null} ${view.formStart('save')} ${fieldsHtml(view, form, errors)}
      <p><button type="submit" class="primary">${t('Save')}</button></p></form>`,
  }
}
