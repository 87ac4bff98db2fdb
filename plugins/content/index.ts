import type { AnyPlugin } from '../../kernel/index.ts'
import autosaves from './autosaves/index.ts'
import comments from './comments/index.ts'
import contentTypes from './content-types/index.ts'
import extraFields from './extra-fields/index.ts'
import media from './media/index.ts'
import meta from './meta/index.ts'
import permalinks from './permalinks/index.ts'
import posts from './posts/index.ts'
import previews from './previews/index.ts'
import revisions from './revisions/index.ts'
import scheduledPosts from './scheduled-posts.ts'
import search from './search/index.ts'
import taxonomies from './taxonomies/index.ts'
import terms from './terms/index.ts'
import postNotes from './post-notes/index.ts'
import editorAjax from './editor-ajax/index.ts'

/** Content types, taxonomies, and the items of each: posts, terms, media, comments and their meta. */
const plugins: readonly AnyPlugin[] = [
  taxonomies,
  contentTypes,
  permalinks,
  meta,
  extraFields,
  terms,
  posts,
  scheduledPosts,
  media,
  revisions,
  autosaves,
  previews,
  comments,
  search,
  postNotes,
  editorAjax,
]
export default plugins
