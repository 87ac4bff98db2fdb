/** Names of form fields that pages and front ends send, and the values of forms that exports contain. */
export const FIELDS = {
  form: '_wpcf7',
  version: '_wpcf7_version',
  locale: '_wpcf7_locale',
  unitTag: '_wpcf7_unit_tag',
  container: '_wpcf7_container_post',
  hash: '_wpcf7_posted_data_hash',
  quiz: '_wpcf7_quiz_answer_',
} as const

/** Prefix of fields that are not part of a message. */
export const INTERNAL_PREFIX = '_wpcf7'

/** Content type of forms. */
export const FORM_TYPE = 'wpcf7_contact_form'
export const NAMESPACE = 'contact-form-7/v1'
export const SCHEMA_VERSION = 'Contact Form 7 SWV Schema 2024-10'
/** Version of the original whose responses this plugin has. */
export const VERSION = '6.1.6'
