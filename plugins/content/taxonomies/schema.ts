import { SCHEMA_DRAFT, shownField, type ItemSchema, type PropertySchema } from '../../resources/index.ts'

const EVERYWHERE = ['view', 'edit', 'embed']
const READERS = ['view', 'edit']
const EDITORS = ['edit']

/** The schema of a taxonomy. */
export function taxonomySchema(): ItemSchema {
  const flag = (description: string): PropertySchema => ({ description, type: 'boolean' })
  return {
    $schema: SCHEMA_DRAFT,
    title: 'taxonomy',
    type: 'object',
    properties: {
      capabilities: shownField('Names of the capabilities that the taxonomy uses.', 'object', EDITORS),
      description: shownField('Description of the taxonomy.', 'string', READERS),
      hierarchical: shownField('Whether terms can have a parent.', 'boolean', READERS),
      labels: shownField('Labels of the taxonomy in an admin.', 'object', EDITORS),
      name: shownField('Name of the taxonomy.', 'string', EVERYWHERE),
      slug: shownField('Slug of the taxonomy.', 'string', EVERYWHERE),
      show_cloud: shownField('Whether its terms can be shown as a tag cloud.', 'boolean', EDITORS),
      types: {
        ...shownField('Content types of the taxonomy.', 'array', READERS),
        items: { type: 'string' },
      },
      rest_base: shownField('Last part of the REST API route of its terms.', 'string', EVERYWHERE),
      rest_namespace: shownField('Namespace of the REST API route of its terms.', 'string', EVERYWHERE),
      visibility: {
        ...shownField('Where the site and its admin show the taxonomy.', 'object', EDITORS),
        properties: {
          public: flag('Whether it is for readers of the site.'),
          publicly_queryable: flag('Whether its terms have their own pages.'),
          show_ui: flag('Whether there are screens to manage it.'),
          show_admin_column: flag('Whether lists of posts have a column for it.'),
          show_in_nav_menus: flag('Whether its terms can be added to menus.'),
          show_in_quick_edit: flag('Whether its terms can be assigned in a list of posts.'),
        },
      },
    },
  }
}
