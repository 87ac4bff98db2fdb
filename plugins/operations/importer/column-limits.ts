// Limits in characters, which the indexes of the columns require.
export const MAX_EMAIL_LENGTH = 254
export const MAX_LOGIN_LENGTH = 60
/** Meta keys. */
export const MAX_META_KEY_LENGTH = 255
/** Names of types, taxonomies and statuses. */
export const MAX_KIND_LENGTH = 200
export const MAX_TERM_NAME_LENGTH = 400
