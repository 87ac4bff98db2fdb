import { SCHEMA_DRAFT, shownField, type ItemSchema } from '../../../resources/index.ts'

const EVERYWHERE = ['view', 'edit', 'embed']
const READERS = ['view', 'edit']
const EDITORS = ['edit']

/**
 * The schema of a content type.
 * @param since whether the REST API revision includes changes of a version
 */
export function typeSchema(since: (version: string) => boolean): ItemSchema {
  return {
    $schema: SCHEMA_DRAFT,
    title: 'type',
    type: 'object',
    properties: {
      capabilities: shownField('Names of the capabilities that the content type uses.', 'object', EDITORS),
      description: shownField('Description of the content type.', 'string', READERS),
      hierarchical: shownField('Whether items can have a parent.', 'boolean', READERS),
      viewable: shownField('Whether items have their own pages.', 'boolean', EDITORS),
      labels: shownField('Labels of the content type in an admin.', 'object', EDITORS),
      name: shownField('Name of the content type.', 'string', EVERYWHERE),
      slug: shownField('Slug of the content type.', 'string', EVERYWHERE),
      supports: shownField('Features that items support.', 'object', EDITORS),
      has_archive: shownField(
        'Whether there is an archive page, or its slug if it differs from the name of the content type.',
        ['string', 'boolean'],
        READERS,
      ),
      taxonomies: {
        ...shownField('Taxonomies of the content type.', 'array', READERS),
        items: { type: 'string' },
      },
      rest_base: shownField('Last part of the REST API route of its items.', 'string', EVERYWHERE),
      rest_namespace: shownField('Namespace of the REST API route of its items.', 'string', EVERYWHERE),
      visibility: {
        ...shownField('Where an admin shows the content type.', 'object', EDITORS),
        properties: {
          show_ui: { description: 'Whether there are screens to manage it.', type: 'boolean' },
          show_in_nav_menus: { description: 'Whether items can be added to menus.', type: 'boolean' },
        },
      },
      icon: shownField('Name of the icon.', ['string', 'null'], EVERYWHERE),
      ...(since('6.6') && {
        template: {
          ...shownField('Initial blocks of a new item.', ['array'], EVERYWHERE),
        },
        template_lock: {
          ...shownField('Restrictions on changing these blocks.', ['string', 'boolean'], EVERYWHERE),
          enum: ['all', 'insert', 'contentOnly', false],
        },
      }),
    },
  }
}
