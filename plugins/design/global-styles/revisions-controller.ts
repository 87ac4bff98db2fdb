import type { Arguments, EndpointGroup, Links } from '../../../kernel/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import { type TimeZone, SCHEMA_DRAFT, type ItemSchema, type Selection } from '../../resources/index.ts'
import { shownDates, type ListedPost, type Post } from '../../content/posts/index.ts'
import { RevisionsController } from '../../content/revisions/index.ts'
import { stylesProperties } from './schema.ts'
import { stylesIn } from './user-styles.ts'

/** Read-only routes of the revisions of user styles. */
export class StylesRevisionsController extends RevisionsController {
  protected override readonly textFields = ['styles', 'settings']

  protected override itemEndpoints(): EndpointGroup[] {
    return super.itemEndpoints().slice(0, 1)
  }

  /** Revisions of styles are always listed by date. */
  override collectionParams(): Arguments {
    const { search: _s, include: _i, exclude: _e, order: _o, orderby: _by, ...params } = super.collectionParams()
    return params
  }

  protected override itemSchema(): ItemSchema {
    const { properties } = super.itemSchema()
    const { author, date, date_gmt, modified, modified_gmt, parent } = properties
    const id = { ...properties['id'], readonly: true }
    const common = { author, date, date_gmt, id, modified, modified_gmt, parent } as ItemSchema['properties']
    return {
      $schema: SCHEMA_DRAFT,
      title: this.objectType,
      type: 'object',
      properties: { ...common, ...stylesProperties() },
    }
  }

  protected override async toData(revision: ListedPost, selection: Selection) {
    dependsOn(`post:${revision.id}`)
    const zone = await this.plugin.services.options.get<TimeZone>('timezone', 'UTC')
    const { author_id: author, parent_id: parent } = revision
    // `textFields` ensures that the content is loaded if one of these fields is requested.
    const content = () => stylesIn((revision as Post).content)
    return {
      id: revision.id,
      ...selection.pick({ author, ...shownDates(revision, zone), parent }),
      ...selection.read({ settings: () => content().settings, styles: () => content().styles }),
    }
  }

  protected override toLinks(): Links {
    return {}
  }
}
