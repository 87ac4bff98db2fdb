import { html, type AdminContent, type AdminView, type PageHandlers } from '../../public.ts'
import { newBranch, rowsBranch, treeOf, type FormBranch } from './form-tree.ts'
import { changedTree } from './group-changes.ts'
import { groupErrors, type GroupErrors } from './group-errors.ts'
import { GroupInputs, PREFIX } from './group-inputs.ts'
import { groupOfTree, textOf, treeOfGroup, type Definition } from './group-trees.ts'
import type { JsonDefinitions } from './json-definitions.ts'

/** The form of a new group: for posts, without fields. */
const NEW_GROUP = newBranch({
  active: '1',
  rest: '1',
  groups: rowsBranch([
    newBranch({ rules: rowsBranch([newBranch({ param: 'post_type', operator: '==', value: 'post' })]) }),
  ]),
})

/** The form of a group. */
export function groupPage(definitions: JsonDefinitions): PageHandlers {
  /** Returns the stored group of the URL; null for a new group, undefined for one that does not exist. */
  const storedOf = async ({ params }: AdminView): Promise<Definition | null | undefined> =>
    params['key'] === undefined ? null : definitions.group(params['key'])
  return {
    async show(view) {
      const stored = await storedOf(view)
      if (stored === undefined) return missing(view)
      return page(view, stored, stored === null ? NEW_GROUP : treeOfGroup(stored))
    },
    actions: {
      async save(view) {
        const stored = await storedOf(view)
        if (stored === undefined) return missing(view)
        const tree = treeOf(view.form, PREFIX) ?? newBranch()
        const change = view.text('change')
        if (change !== '') return page(view, stored, changedTree(tree, change))
        const errors = groupErrors(view, tree, stored)
        if (Object.keys(errors).length > 0) return page(view, stored, tree, errors)
        const group = groupOfTree(tree, stored)
        await definitions.save(group)
        const text = view.t('Saved. The change takes effect within a few seconds.')
        return view.redirect(view.url(`custom-fields/${encodeURIComponent(textOf(group['key']))}`), {
          kind: 'done',
          text,
        })
      },
    },
  }
}

function missing(view: AdminView): AdminContent {
  return { status: 404, main: html`<p>${view.t('This field group no longer exists.')}</p>` }
}

/** Renders a form: the stored one, a changed one that is not saved, or a refused one with its errors. */
function page(view: AdminView, stored: Definition | null, tree: FormBranch, errors: GroupErrors = {}): AdminContent {
  const { t } = view
  const isRefused = Object.keys(errors).length > 0
  const alert = html`<div class="notice error" role="alert">
    <p>${t('Not saved. Please fix the highlighted fields.')}</p>
  </div>`
  // The first button of the form, which the Enter key presses.
  const save = html`<p><button type="submit" class="primary">${t('Save')}</button></p>`
  return {
    title: stored === null ? t('Add field group') : t('Edit “{title}”', { title: textOf(stored['title']) }),
    ...(isRefused && { status: 400 }),
    headingActions: html`<a href="${view.url('custom-fields')}">${t('← Back to list')}</a>`,
    main: html`${isRefused ? alert : null} ${view.formStart('save')} ${save}
      ${new GroupInputs(view, errors).render(tree)} ${save}</form>`,
  }
}
