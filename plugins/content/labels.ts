/**
 * Labels of a content type or taxonomy in an admin. Some registered labels are the default of others; the rest is built
 * from the singular and plural.
 */
export type Labels = Record<string, string | null>

type RegisteredLabels = Readonly<Labels>

/** Registered labels of a content type or taxonomy, and the revision whose defaults complete them. */
interface LabelSpec {
  readonly hierarchical: boolean
  readonly label: string | undefined
  readonly labels: RegisteredLabels | undefined
  /** Whether the emulated version is at least the given one. */
  readonly since: (version: string) => boolean
}

/**
 * Returns the labels that contain the singular and the plural of a type, for types that are named in all of them.
 * @param small singular and plural within a sentence; in lower case by default
 */
export function namedLabels(
  one: string,
  many: string,
  small: readonly [one: string, many: string] = [one.toLowerCase(), many.toLowerCase()],
): Labels {
  const [smallOne, smallMany] = small
  return {
    name: many,
    singular_name: one,
    add_new: `Add ${one}`,
    add_new_item: `Add ${one}`,
    new_item: `New ${one}`,
    edit_item: `Edit ${one}`,
    view_item: `View ${one}`,
    all_items: many,
    search_items: `Search ${many}`,
    not_found: `No ${smallMany} found.`,
    not_found_in_trash: `No ${smallMany} found in Trash.`,
    parent_item_colon: `Parent ${one}:`,
    archives: `${one} archives`,
    insert_into_item: `Insert into ${smallOne}`,
    uploaded_to_this_item: `Uploaded to this ${smallOne}`,
    filter_items_list: `Filter ${smallMany} list`,
    items_list_navigation: `${many} list navigation`,
    items_list: `${many} list`,
    item_updated: `${one} updated.`,
  }
}

/** Returns the labels of a content type. */
export function typeLabels(name: string, { hierarchical, label, labels, since }: LabelSpec): Labels {
  const [one, many] = hierarchical ? (['Page', 'Pages'] as const) : (['Post', 'Posts'] as const)
  const small = one.toLowerCase()
  const smallMany = many.toLowerCase()
  const add = since('7.0') ? 'Add' : 'Add New'
  const complete = completeLabels(name, label, labels, {
    name: many,
    singular_name: one,
    add_new: add,
    add_new_item: `${add} ${one}`,
    edit_item: `Edit ${one}`,
    new_item: `New ${one}`,
    view_item: `View ${one}`,
    view_items: `View ${many}`,
    search_items: `Search ${many}`,
    not_found: `No ${smallMany} found.`,
    not_found_in_trash: `No ${smallMany} found in Trash.`,
    parent_item_colon: hierarchical ? `Parent ${one}:` : null,
    all_items: `All ${many}`,
    archives: `${one} Archives`,
    attributes: `${one} Attributes`,
    insert_into_item: `Insert into ${small}`,
    uploaded_to_this_item: `Uploaded to this ${small}`,
    featured_image: 'Featured image',
    set_featured_image: 'Set featured image',
    remove_featured_image: 'Remove featured image',
    use_featured_image: 'Use as featured image',
    filter_items_list: `Filter ${smallMany} list`,
    filter_by_date: 'Filter by date',
    items_list_navigation: `${many} list navigation`,
    items_list: `${many} list`,
    item_published: `${one} published.`,
    item_published_privately: `${one} published privately.`,
    item_reverted_to_draft: `${one} reverted to draft.`,
    ...(since('6.6') && { item_trashed: `${one} trashed.` }),
    item_scheduled: `${one} scheduled.`,
    item_updated: `${one} updated.`,
    item_link: `${one} Link`,
    item_link_description: `A link to a ${small}.`,
  })
  // Editors name the templates of posts and pages themselves.
  return since('7.0') && name !== 'post' && name !== 'page'
    ? { ...complete, template_name: `Single item: ${complete['singular_name'] ?? name}` }
    : complete
}

/** Returns the labels that contain the singular and the plural of flat terms. */
export function termLabels(one: string, many: string): Record<string, string> {
  const smallMany = many.toLowerCase()
  return {
    name: many,
    singular_name: one,
    search_items: `Search ${many}`,
    popular_items: `Popular ${many}`,
    edit_item: `Edit ${one}`,
    view_item: `View ${one}`,
    update_item: `Update ${one}`,
    new_item_name: `New ${one} Name`,
    separate_items_with_commas: `Separate ${smallMany} with commas`,
    add_or_remove_items: `Add or remove ${smallMany}`,
    choose_from_most_used: `Choose from the most used ${smallMany}`,
    not_found: `No ${smallMany} found.`,
    no_terms: `No ${smallMany}`,
    items_list_navigation: `${many} list navigation`,
    items_list: `${many} list`,
    back_to_items: `&larr; Go to ${many}`,
    item_link: `${one} Link`,
    item_link_description: `A link to a ${one.toLowerCase()}.`,
  }
}

/** Returns the labels of a taxonomy. */
export function taxonomyLabels(name: string, { hierarchical, label, labels, since }: LabelSpec): Labels {
  const [one, many] = hierarchical ? (['Category', 'Categories'] as const) : (['Tag', 'Tags'] as const)
  const tree = (text: string) => (hierarchical ? text : null)
  const complete = completeLabels(name, label, labels, {
    ...termLabels(one, many),
    all_items: `All ${many}`,
    parent_item: tree(`Parent ${one}`),
    parent_item_colon: tree(`Parent ${one}:`),
    // Clients show these four unchanged next to the fields of a form.
    name_field_description: 'The name is how it appears on your site.',
    slug_field_description:
      'The &#8220;slug&#8221; is the URL-friendly version of the name. It is usually all lowercase and contains only letters, numbers, and hyphens.',
    parent_field_description: tree(
      'Assign a parent term to create a hierarchy. The term Jazz, for example, would be the parent of Bebop and Big Band.',
    ),
    desc_field_description: 'The description is not prominent by default; however, some themes may show it.',
    add_new_item: `${since('7.0') ? 'Add' : 'Add New'} ${one}`,
    filter_by_item: tree(`Filter by ${one.toLowerCase()}`),
    most_used: 'Most Used',
    ...(hierarchical && {
      popular_items: null,
      separate_items_with_commas: null,
      add_or_remove_items: null,
      choose_from_most_used: null,
    }),
  })
  return since('7.0') ? { ...complete, template_name: `${complete['singular_name'] ?? name} Archives` } : complete
}

/**
 * Merges the registered labels into the defaults. The registered name is the default of all labels that name the type.
 */
function completeLabels(
  name: string,
  label: string | undefined,
  registered: RegisteredLabels = {},
  defaults: Labels,
): Labels {
  const own: Labels = { ...registered }
  own['name'] ??= label ?? null
  if (own['name'] !== null) {
    own['singular_name'] ??= own['name']
    own['menu_name'] ??= own['name']
  }
  own['name_admin_bar'] ??= own['singular_name'] ?? name
  if (own['menu_name']) own['all_items'] ??= own['menu_name']
  if (own['all_items']) own['archives'] ??= own['all_items']
  const set = Object.entries(own).filter(([key, text]) => text !== null || !(key in defaults))
  const labels: Labels = { ...defaults, ...Object.fromEntries(set) }
  labels['menu_name'] ??= labels['name'] ?? name
  return labels
}
