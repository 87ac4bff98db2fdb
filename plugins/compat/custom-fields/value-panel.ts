import { html, RequestCache, type AdminView, type PageHtml, type PluginContext } from '../../public.ts'
import type { FieldValues } from './fields.ts'
import { partOf, treeOf, type FormBranch } from './form-tree.ts'
import type { Field, FieldGroup } from './model.ts'
import { valueFields } from './shape.ts'
import type { Target, TargetType } from './targets.ts'
import { NAME, type FieldArguments } from './validation.ts'
import { shownFiles } from './value-files.ts'
import { sentValues, treeOfValues } from './value-forms.ts'
import { fieldInputs, type PlacedErrors } from './value-inputs.ts'

type Item = Readonly<Record<string, unknown>>

/** The fields of an object in a form. */
interface Editing {
  readonly groups: readonly FieldGroup[]
  readonly target: Target
  /** The stored values in the format `light`. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Adds a panel with the values of fields to the forms of posts, terms and users. */
export class ValuePanels {
  readonly #plugin: PluginContext
  readonly #values: FieldValues
  readonly #args: FieldArguments
  /** Messages of refused forms, which the page shows at the fields. */
  readonly #refused = new WeakMap<AdminView, PlacedErrors>()

  constructor(plugin: PluginContext, values: FieldValues, args: FieldArguments) {
    this.#plugin = plugin
    this.#values = values
    this.#args = args
  }

  /** Adds the panel for each type to which an active group can apply. */
  add(): void {
    for (const type of this.#values.editedTypes()) {
      this.#plugin.services.admin.addPanel(type.kind === 'user' ? 'user' : type.subtype, {
        name: 'custom-fields',
        title: 'Fields',
        show: (view, item) => this.#show(view, type, item),
        check: (view, item, form) => this.#check(view, type, item, form),
        save: (view, item, form) => this.#save(view, type, item, form),
      })
    }
  }

  async #editing(view: AdminView, type: TargetType, item: Item | null, scope = view.request.scope): Promise<Editing> {
    const id = Number(item?.['id'] ?? 0)
    const groups = await this.#values.editedGroups(type, id, { scope, user: view.user })
    const target: Target = { type, id, fields: groups.flatMap(({ fields }) => valueFields(fields)) }
    const read = await this.#values.reader(target, scope)
    return { groups, target, values: this.#values.lightValues(target, read) }
  }

  async #show(view: AdminView, type: TargetType, item: Item | null): Promise<PageHtml | null> {
    const { groups, target, values } = await this.#editing(view, type, item)
    if (groups.length === 0) return null
    const stored = treeOfValues(target.fields, values)
    // A field that the submitted form lacks shows its stored value.
    const tree = { ...stored, ...treeOf(view.form, NAME) }
    const errors = this.#refused.get(view) ?? {}
    const files = await shownFiles(view, target.fields, tree)
    return html`${groups.map(
      ({ title, fields }) =>
        html`<fieldset class="field">
          <legend>${title}</legend>
          ${fieldInputs(view, fields, tree, errors, { prefix: NAME, files })}
        </fieldset>`,
    )}`
  }

  async #check(view: AdminView, type: TargetType, item: Item | null, form: Item): Promise<Record<string, string>> {
    const tree = treeOf(form, NAME)
    if (tree === null) return {}
    const editing = await this.#editing(view, type, item)
    const { errors } = await this.#changes(view, editing, tree)
    this.#refused.set(view, errors)
    const { fields } = editing.target
    return Object.fromEntries(
      Object.entries(errors).map(([place, message]) => {
        const field = fields.find(({ key }) => place.split('.', 1)[0] === partOf(key))
        return [`${NAME}.${place}`, field === undefined ? message : `${labelOf(field)}: ${message}`] as const
      }),
    )
  }

  /** Stores the changed values. Fields that do not apply to the stored object are left out. */
  async #save(view: AdminView, type: TargetType, item: Item, form: Item): Promise<void> {
    const tree = treeOf(form, NAME)
    if (tree === null) return
    const { transactions } = this.#plugin.services
    const scope = new RequestCache()
    await transactions.inTurn(async () => {
      const editing = await this.#editing(view, type, item, scope)
      const { changed, errors } = await this.#changes(view, editing, tree)
      const { target } = editing
      const valid = target.fields.filter(
        ({ key, name }) =>
          name in changed && !Object.keys(errors).some((place) => place.split('.', 1)[0] === partOf(key)),
      )
      const values = Object.fromEntries(valid.map(({ name }) => [name, changed[name]]))
      await this.#values.write(target, this.#args.sanitizeValues(values, valid), { scope, user: view.user })
    })
  }

  /** Returns the values that a form changes, and why they are refused. */
  async #changes(view: AdminView, { target, values }: Editing, tree: FormBranch) {
    const { fields } = target
    const { values: sent, errors } = sentValues(view, fields, tree)
    // The values that an unchanged form would send.
    const { values: before } = sentValues(view, fields, treeOfValues(fields, values))
    const changed: Record<string, unknown> = {}
    for (const field of fields) {
      const { key, name } = field
      if (!(name in sent) || JSON.stringify(sent[name]) === JSON.stringify(before[name])) continue
      changed[name] = sent[name]
      if (Object.keys(errors).some((place) => place.split('.', 1)[0] === partOf(key))) continue
      const checked = await this.#args.validateValues({ [name]: sent[name] }, [field], view.request.scope)
      if (checked !== true) errors[partOf(key)] = checked.message.replaceAll(`${NAME}[${name}]`, labelOf(field))
    }
    return { changed, errors }
  }
}

const labelOf = (field: Field): string => field.label || field.name
