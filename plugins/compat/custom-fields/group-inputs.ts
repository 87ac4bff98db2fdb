import {
  checkbox,
  html,
  selectField,
  textArea,
  textField,
  type AdminView,
  type FieldOptions,
  type PageHtml,
} from '../../public.ts'
import { rowsAt, textAt, type FormBranch } from './form-tree.ts'
import type { GroupErrors } from './group-errors.ts'
import { CONTAINERS, MAX_LEVEL, PARAMS, settingLabel, SETTINGS, type Setting } from './group-settings.ts'

/** Beginning of the names of all fields of the form. */
export const PREFIX = 'group'

/** Renders the form of a group. */
export class GroupInputs {
  readonly #view: AdminView
  readonly #errors: GroupErrors

  constructor(view: AdminView, errors: GroupErrors) {
    this.#view = view
    this.#errors = errors
  }

  render(tree: FormBranch): PageHtml {
    const { t } = this.#view
    return html`<section class="card">
        <h2>${t('Group')}</h2>
        ${textField({ ...this.#options('title', t('Title')), value: textAt(tree, 'title') })}
        ${textField({ ...this.#options('description', t('Description')), value: textAt(tree, 'description') })}
        ${this.#flag(tree, '', 'active', t('Active'))} ${this.#flag(tree, '', 'rest', t('Show in the REST API'))}
        ${textField({ ...this.#options('order', t('Order')), value: textAt(tree, 'order') })}
      </section>
      <section class="card">
        <h2>${t('Location')}</h2>
        ${this.#location(tree)}
      </section>
      <section class="card">
        <h2>${t('Fields')}</h2>
        ${this.#fields(tree, '', 0)}
      </section>`
  }

  #options(place: string, label: string, hint?: string): FieldOptions {
    const error = this.#errors[place]
    return { name: `${PREFIX}.${place}`, label, error, ...(hint !== undefined && { hint }) }
  }

  #flag(tree: FormBranch, prefix: string, name: string, label: string): PageHtml {
    const place = `${prefix}${name}`
    return html`<input type="hidden" name="${PREFIX}.${place}" value="" />${checkbox({
        ...this.#options(place, label),
        checked: textAt(tree, name) === '1',
      })}`
  }

  #button(change: string, label: string, about = '', isDanger = false): PageHtml {
    const danger = isDanger ? html` class="danger"` : null
    return html`<button type="submit" name="change" value="${change}" ${danger}>
      ${label}${about === '' ? null : html`<span class="hidden"> ${about}</span>`}
    </button>`
  }

  #location(tree: FormBranch): PageHtml {
    const { t } = this.#view
    const lists = rowsAt(tree, 'groups').map((list, index) => {
      const rules = rowsAt(list, 'rules').map((rule, at) => this.#rule(rule, `groups.${index}.rules.${at}`, at + 1))
      return html`<fieldset class="field">
        <legend>${index === 0 ? t('Show the fields if') : t('or if')}</legend>
        ${rules}
        <p class="actions">
          ${this.#button(`add:groups.${index}.rules`, t('Add condition'), `(${index + 1})`)}
          ${this.#button(`remove:groups.${index}`, t('Remove conditions'), `(${index + 1})`, true)}
        </p>
      </fieldset>`
    })
    const none = lists.length === 0 ? html`<p class="empty">${t('The fields are shown nowhere yet.')}</p>` : null
    return html`<p class="hint">${t('All conditions of a list must be met, and one of the lists.')}</p>
      ${none}${lists}
      <p class="actions">${this.#button('add:groups', t('Add list of conditions'))}</p>`
  }

  #rule(rule: FormBranch, place: string, number: number): PageHtml {
    const { t } = this.#view
    const own = textAt(rule, 'param')
    const params = (PARAMS as readonly string[]).includes(own) || own === '' ? PARAMS : [own, ...PARAMS]
    return html`<div class="actions">
      ${selectField({
        ...this.#options(`${place}.param`, t('Condition {number}', { number })),
        value: own,
        choices: params.map((value) => ({ value, label: wordsOf(value) })),
      })}
      ${selectField({
        ...this.#options(`${place}.operator`, t('Comparison')),
        value: textAt(rule, 'operator'),
        choices: [
          { value: '==', label: t('is') },
          { value: '!=', label: t('is not') },
        ],
      })}
      ${textField({ ...this.#options(`${place}.value`, t('Value')), value: textAt(rule, 'value') })}
      ${this.#button(`remove:${place}`, t('Remove'), t('Condition {number}', { number }), true)}
    </div>`
  }

  #fields(tree: FormBranch, prefix: string, level: number): PageHtml {
    const { t } = this.#view
    const list = `${prefix}fields`
    const fields = rowsAt(tree, 'fields').map((field, index) => this.#field(field, `${list}.${index}`, level))
    const about = prefix === '' ? '' : `(${list})`
    return html`${fields}
      <p class="actions">${level < MAX_LEVEL ? this.#button(`add:${list}`, t('Add field'), about) : null}</p>`
  }

  #field(field: FormBranch, place: string, level: number): PageHtml {
    const { t } = this.#view
    const type = textAt(field, 'type')
    const types = Object.keys(SETTINGS)
    const settings = textAt(field, 'shown') === type ? (SETTINGS[type] ?? []) : []
    const inside = html`${this.#hidden(field, place, ['key', 'from'])}
      <input type="hidden" name="${PREFIX}.${place}.shown" value="${type}" />
      ${textField({ ...this.#options(`${place}.label`, t('Label')), value: textAt(field, 'label'), attributes: focus(field) })}
      ${textField({ ...this.#options(`${place}.name`, t('Name')), value: textAt(field, 'name') })}
      ${selectField({
        ...this.#options(`${place}.type`, t('Type'), t('To see the settings of another type, apply it.')),
        value: type,
        choices: (types.includes(type) ? types : [type, ...types]).map((value) => ({ value, label: wordsOf(value) })),
      })}
      <p class="actions">${this.#button(`apply:${place}`, t('Apply type'), textAt(field, 'label'))}</p>
      ${textArea({ ...this.#options(`${place}.instructions`, t('Instructions')), value: textAt(field, 'instructions'), rows: 2 })}
      ${this.#flag(field, `${place}.`, 'required', t('Required'))}
      ${settings.map((setting) => this.#setting(field, place, setting))}
      ${CONTAINERS.has(type) ? this.#inner(t('Fields'), this.#fields(field, `${place}.`, level + 1)) : null}
      ${type === 'flexible_content' ? this.#inner(t('Layouts'), this.#layouts(field, place, level)) : null}`
    return this.#details(field, place, `${textAt(field, 'label') || t('New field')} (${wordsOf(type)})`, inside)
  }

  #layouts(field: FormBranch, place: string, level: number): PageHtml {
    const { t } = this.#view
    const layouts = rowsAt(field, 'layouts').map((layout, index) => {
      const below = `${place}.layouts.${index}`
      const inside = html`${this.#hidden(layout, below, ['key', 'from'])}
      ${textField({ ...this.#options(`${below}.label`, t('Label')), value: textAt(layout, 'label'), attributes: focus(layout) })}
      ${textField({ ...this.#options(`${below}.name`, t('Name')), value: textAt(layout, 'name') })}
      ${this.#fields(layout, `${below}.`, level + 1)}`
      return this.#details(layout, below, textAt(layout, 'label') || t('New layout'), inside)
    })
    return html`${layouts}
      <p class="actions">${this.#button(`add:${place}.layouts`, t('Add layout'), textAt(field, 'label'))}</p>`
  }

  /** Renders a field or layout that can be folded, with the buttons that move it. */
  #details(row: FormBranch, place: string, title: string, inside: PageHtml): PageHtml {
    const { t } = this.#view
    const isOpen = textAt(row, 'open') === '1' || Object.keys(this.#errors).some((key) => key.startsWith(`${place}.`))
    return html`<details class="card" ${isOpen ? html`open` : null}>
        <summary>${title}</summary>
        ${inside}
      </details>
      <p class="actions">
        ${this.#button(`up:${place}`, t('Move up'), title)} ${this.#button(`down:${place}`, t('Move down'), title)}
        ${this.#button(`copy:${place}`, t('Duplicate'), title)}
        ${this.#button(`remove:${place}`, t('Remove'), title, true)}
      </p>`
  }

  #inner(label: string, content: PageHtml): PageHtml {
    return html`<fieldset class="field">
      <legend>${label}</legend>
      ${content}
    </fieldset>`
  }

  #hidden(row: FormBranch, place: string, names: readonly string[]): PageHtml[] {
    return names
      .filter((name) => textAt(row, name) !== '')
      .map((name) => html`<input type="hidden" name="${PREFIX}.${place}.${name}" value="${textAt(row, name)}" />`)
  }

  #setting(field: FormBranch, place: string, [name, kind]: Setting): PageHtml {
    const { t } = this.#view
    const hint =
      kind === 'choices' ? t('One per line: “red : Red”.') : kind === 'list' ? t('Enter one per line.') : undefined
    const options = this.#options(`${place}.${name}`, settingLabel(this.#view, name), hint)
    const value = textAt(field, name)
    if (kind === 'flag') return this.#flag(field, `${place}.`, name, options.label)
    if (kind === 'choices' || kind === 'list' || kind === 'lines')
      return textArea({ ...options, value, rows: kind === 'choices' ? 6 : 3 })
    if (typeof kind === 'string') return textField({ ...options, value })
    const choices = kind.includes(value) ? kind : [value, ...kind]
    return selectField({ ...options, value, choices: choices.map((one) => ({ value: one, label: one || t('None') })) })
  }
}

const focus = (row: FormBranch): PageHtml => (textAt(row, 'open') === '1' ? html` autofocus` : html``)

/** Returns the name of a type or parameter as words: `post type`. */
const wordsOf = (name: string): string => name.replaceAll('_', ' ')
