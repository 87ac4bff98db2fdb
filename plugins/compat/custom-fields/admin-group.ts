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
  /** Returns the stored group of the URL; a new group is null, and one that does not exist undefined. */
  const openedOf = async ({ params }: AdminView): Promise<Pick<GroupForm, 'stored' | 'version'> | undefined> => {
    if (params['key'] === undefined) return { stored: null, version: 0 }
    const found = await definitions.group(params['key'])
    return found && { stored: found.group, version: found.version }
  }
  return {
    async show(view) {
      const opened = await openedOf(view)
      if (opened === undefined) return missing(view)
      return page(view, { ...opened, tree: opened.stored === null ? NEW_GROUP : treeOfGroup(opened.stored) })
    },
    actions: {
      async save(view) {
        const current = await openedOf(view)
        if (current === undefined) return missing(view)
        const { stored } = current
        const tree = treeOf(view.form, PREFIX) ?? newBranch()
        const version = Number(view.text('version'))
        const change = view.text('change')
        if (change !== '') return page(view, { stored, version, tree: changedTree(tree, change) })
        const errors = groupErrors(view, tree, stored)
        if (Object.keys(errors).length > 0) return page(view, { stored, version, tree, errors })
        const group = groupOfTree(tree, stored)
        if (!(await definitions.save(group, version)))
          return page(view, { ...((await openedOf(view)) ?? current), tree, isOutdated: true })
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

/** A form of a group. */
interface GroupForm {
  readonly stored: Definition | null
  /** Version of the group that the form replaces. */
  readonly version: number
  readonly tree: FormBranch
  readonly errors?: GroupErrors
  /** Whether someone else has saved the group since the form was opened. */
  readonly isOutdated?: boolean
}

/** Renders a form: the stored one, a changed one that is not saved, or a refused one with the reason. */
function page(view: AdminView, { stored, version, tree, errors = {}, isOutdated = false }: GroupForm): AdminContent {
  const { t } = view
  const hasErrors = Object.keys(errors).length > 0
  const status = isOutdated ? 409 : hasErrors ? 400 : undefined
  const reason = isOutdated
    ? t('Not saved: someone else has changed this group since you opened it. Save again to replace their changes.')
    : t('Not saved. Please fix the highlighted fields.')
  const alert = html`<div class="notice error" role="alert"><p>${reason}</p></div>`
  // The first button of the form, which the Enter key presses.
  const save = html`<p><button type="submit" class="primary">${t('Save')}</button></p>`
  return {
    title: stored === null ? t('Add field group') : t('Edit “{title}”', { title: textOf(stored['title']) }),
    ...(status !== undefined && { status }),
    headingActions: html`<a href="${view.url('custom-fields')}">${t('← Back to list')}</a>`,
    main: html`${status === undefined ? null : alert} ${view.formStart('save')}
      <input type="hidden" name="version" value="${String(version)}" />
      ${save} ${new GroupInputs(view, errors).render(tree)} ${save}</form>`,
  }
}
