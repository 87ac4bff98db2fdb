// Meta keys that the content model itself uses for data without a column.

/** The featured image of a post: the ID of an attachment. */
export const THUMBNAIL_KEY = '_thumbnail_id'
/** The template that shows a post. */
export const TEMPLATE_KEY = '_page_template'

/**
 * Sync status of a reusable block: `unsynced` blocks are copied on insertion, `partial` ones sync in part. Like other
 * stored keys it lacks the word of the site, which its name in the REST API has.
 */
export const SYNC_STATUS_KEY = 'pattern_sync_status'
/** Status of a note: resolves or reopens its thread. */
export const NOTE_STATUS_KEY = '_note_status'
/** Names of the files of a font face. */
export const FONT_FACE_FILE_KEY = '_font_face_file'

/** Lock of the user who is editing a post: Unix seconds and the user ID, such as `1764500000:7`. */
export const EDIT_LOCK_KEY = '_edit_lock'
/** ID of the user who edited a post last. */
export const LAST_EDITOR_KEY = '_edit_last'
/** Former slugs of a post, whose URLs redirect; imports fill it, too. Multiple values. */
export const OLD_SLUG_KEY = '_old_slug'
/** Former dates of a post. Multiple values. */
export const OLD_DATE_KEY = '_old_date'

/** Status that a trashed post or comment, or a comment marked as spam, had before. */
export const TRASHED_STATUS_KEY = '_trash_meta_status'
/**
 * Possible earlier statuses of a trashed post. A user with a right in all of these has it for the post in the trash.
 */
export const BEFORE_TRASH = ['publish', 'draft', 'private']
/** When a post was moved to the trash, in Unix seconds. */
export const TRASHED_TIME_KEY = '_trash_meta_time'
/** Slug that a trashed post had before. */
export const TRASHED_SLUG_KEY = '_desired_post_slug'

/** File of an attachment, relative to the uploads folder. */
export const FILE_KEY = '_attached_file'
/** Size, image versions and other metadata of an attachment file. */
export const METADATA_KEY = '_attachment_metadata'
/** Alternative text of an image. */
export const ALT_KEY = '_attachment_image_alt'
/** True for a decorative image, which needs no alternative text. */
export const DECORATIVE_KEY = '_attachment_decorative'
/** Point of an image that stays visible when the image is cropped: `x` and `y`, from 0 to 1. */
export const FOCAL_POINT_KEY = '_attachment_focal_point'
/**
 * Further files of an attachment that were added or generated later, relative to the uploads folder. Multiple values.
 */
export const LATER_FILE_KEY = '_attached_later_file'
