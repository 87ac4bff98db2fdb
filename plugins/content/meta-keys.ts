// The meta keys by which the content model itself keeps what is no column.

/** The featured image of a post: the ID of an attachment. */
export const THUMBNAIL_KEY = '_thumbnail_id'
/** The template that shows a post. */
export const TEMPLATE_KEY = '_page_template'

/** The status that a post or a comment in the trash, or a comment in spam, had before. */
export const TRASHED_STATUS_KEY = '_trash_meta_status'
/** What a post in the trash may have been: who may do something to all of these may do it to the post. */
export const BEFORE_TRASH = ['publish', 'draft', 'private']
/** When a post came to the trash, in Unix seconds. */
export const TRASHED_TIME_KEY = '_trash_meta_time'
/** The slug that a post in the trash had before. */
export const TRASHED_SLUG_KEY = '_desired_post_slug'

/** The file of an attachment, below the uploads folder. */
export const FILE_KEY = '_attached_file'
/** Size, versions and other facts of the file of an attachment. */
export const METADATA_KEY = '_attachment_metadata'
/** The alternative text of an image. */
export const ALT_KEY = '_attachment_image_alt'
/** Whether an image only decorates: it has no alternative text, and needs none. */
export const DECORATIVE_KEY = '_attachment_decorative'
/** The point of an image that stays in sight where the image is cut off: `x` and `y`, from 0 to 1. */
export const FOCAL_POINT_KEY = '_attachment_focal_point'
/** Further files of an attachment, below the uploads folder: versions that came, or were made, later. Many values. */
export const LATER_FILE_KEY = '_attached_later_file'
