import { checkbox, choiceField, html, textArea, textField, type AdminView, type PageHtml } from '../../public.ts'
import { isOn, type DefinitionForm, type FormErrors } from './admin-form.ts'
import { textOf, textsOf } from './definitions.ts'

/** Renders the fields of a definition. */
export function fieldsHtml(view: AdminView, form: DefinitionForm, errors: FormErrors): PageHtml {
  const { t } = view
  const { kind, labels, name, values } = form
  const isType = kind === 'type'
  const text = (field: string, label: string, hint?: string, required = false) =>
    textField({
      name: field,
      label,
      value: textOf(values[field]),
      error: errors[field],
      required,
      ...(hint !== undefined && { hint }),
    })
  const flag = (field: string, label: string, hint?: string) =>
    checkbox({ name: field, label, checked: isOn(form, field), ...(hint !== undefined && { hint }) })
  const nameHint = isType
    ? t('Lower-case letters, digits, “-” and “_”, at most 20. It can’t be changed later.')
    : t('Lower-case letters, digits, “-” and “_”, at most 32. It can’t be changed later.')
  return html`<section class="card">
      <h2>${t('Name')}</h2>
      ${textField({
        name: 'name',
        label: t('Slug'),
        value: name,
        hint: nameHint,
        error: errors['name'],
        required: true,
        disabled: view.params['name'] !== undefined,
      })}
      ${text('label', t('Plural name'), undefined, true)} ${text('singular_label', t('Singular name'), undefined, true)}
      ${textArea({ name: 'description', label: t('Description'), value: textOf(values['description']) })}
      ${textArea({
        name: 'labels',
        label: t('Further labels'),
        value: labels,
        error: errors['labels'],
        hint: t('One per line: “add_new_item: Add a book”. Missing labels have their default text.'),
      })}
    </section>
    ${isType ? typeFields(view, form, errors) : taxonomyFields(view, form, errors)}
    <section class="card">
      <h2>${t('Visibility')}</h2>
      ${flag('public', t('Public'))} ${flag('publicly_queryable', t('Pages on the site'))}
      ${flag('hierarchical', t('Hierarchical'), isType ? t('Items can have parents, like pages.') : t('Terms can have parents, like categories.'))}
      ${flag('show_ui', t('Show in the admin'))}
      ${isType ? flag('exclude_from_search', t('Leave out of search results')) : flag('show_admin_column', t('Show a column in lists'))}
    </section>
    <section class="card">
      <h2>${t('REST API')}</h2>
      ${flag('show_in_rest', t('Show in the REST API'))}
      ${text('rest_base', t('Name of the route'), t('Leave empty to use the slug.'))}
    </section>
    <section class="card">
      <h2>${t('URLs')}</h2>
      ${flag('rewrite', t('Readable URLs'))}
      ${text('rewrite_slug', t('Beginning of URLs'), t('Leave empty to use the slug.'))}
      ${flag('rewrite_withfront', t('Begin with the fixed part of the permalinks'))}
      ${isType ? null : flag('rewrite_hierarchical', t('URLs contain the slugs of parents'))}
      ${isType ? html`${flag('has_archive', t('Archive page'))} ${text('has_archive_string', t('URL of the archive'), t('Leave empty to use the beginning of URLs.'))}` : null}
    </section>`
}

function typeFields(view: AdminView, { values }: DefinitionForm, errors: FormErrors): PageHtml {
  const { t, plugin } = view
  const features = {
    title: t('Title'),
    editor: t('Content'),
    excerpt: t('Excerpt'),
    thumbnail: t('Featured image'),
    author: t('Author'),
    comments: t('Comments'),
    trackbacks: t('Pingbacks'),
    revisions: t('Revisions'),
    'custom-fields': t('Custom fields'),
    'page-attributes': t('Parent and order'),
    'post-formats': t('Format'),
  }
  const registered = plugin.services.taxonomies.all().filter(({ show_ui: isShown }) => isShown)
  return html`<section class="card">
    <h2>${t('Content')}</h2>
    ${choiceField({
      name: 'supports',
      label: t('Fields'),
      values: textsOf(values['supports']),
      choices: Object.entries(features).map(([value, label]) => ({ value, label })),
      many: true,
    })}
    ${textField({
      name: 'custom_supports',
      label: t('Features of plugins'),
      value: textOf(values['custom_supports']),
      hint: t('Separate with commas.'),
    })}
    ${choiceField({
      name: 'taxonomies',
      label: t('Taxonomies'),
      values: textsOf(values['taxonomies']),
      choices: withSaved(registered, textsOf(values['taxonomies'])),
      many: true,
    })}
    ${textField({
      name: 'menu_position',
      label: t('Position in the menu'),
      value: textOf(values['menu_position']),
      error: errors['menu_position'],
      hint: t('5 is below posts, 25 below comments. Leave empty for the default.'),
    })}
    ${textField({
      name: 'menu_icon',
      label: t('Icon'),
      value: textOf(values['menu_icon']),
      hint: t('Name of an icon, such as dashicons-book, or the URL of an image.'),
    })}
  </section>`
}

function taxonomyFields(view: AdminView, { values }: DefinitionForm, errors: FormErrors): PageHtml {
  const { t, plugin } = view
  const registered = plugin.services.contentTypes.all().filter(({ show_ui: isShown }) => isShown)
  return html`<section class="card">
    ${choiceField({
      name: 'object_types',
      label: t('Content types'),
      values: textsOf(values['object_types']),
      choices: withSaved(registered, textsOf(values['object_types'])),
      many: true,
      error: errors['object_types'],
    })}
  </section>`
}

/** Returns choices of registered types or taxonomies, and of saved names that are not registered now. */
function withSaved(registered: readonly { name: string; label: string }[], saved: readonly string[]) {
  const others = saved.filter((name) => !registered.some((one) => one.name === name))
  return [
    ...registered.map(({ name, label }) => ({ value: name, label })),
    ...others.map((name) => ({ value: name, label: name })),
  ]
}
