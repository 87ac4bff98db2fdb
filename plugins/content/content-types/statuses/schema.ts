import { SCHEMA_DRAFT, shownField, type ItemSchema } from '../../../resources/index.ts'

const EVERYWHERE = ['embed', 'view', 'edit']
const READERS = ['view', 'edit']
const EDITORS = ['edit']

/** The schema of a status. */
export function statusSchema(): ItemSchema {
  const flag = (description: string, context: readonly string[]) => shownField(description, 'boolean', context)
  return {
    $schema: SCHEMA_DRAFT,
    title: 'status',
    type: 'object',
    properties: {
      name: shownField('Name of the status.', 'string', EVERYWHERE),
      private: flag('Whether only the author and users who may read private posts can read posts with it.', EDITORS),
      protected: flag('Whether only users who may edit posts with it can read them.', EDITORS),
      public: flag('Whether visitors can read posts with it.', READERS),
      queryable: flag('Whether visitors can list posts with it.', READERS),
      show_in_list: flag('Whether the lists of an admin include it.', EDITORS),
      slug: shownField('Slug of the status.', 'string', EVERYWHERE),
      date_floating: flag('Whether the date of posts with it changes until they are published.', READERS),
    },
  }
}
