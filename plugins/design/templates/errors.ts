import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `templates`. */
export const errors = defineErrors({
  rest_cannot_manage_templates: [403, 'You may not do this with templates: only users who may change the theme may.'],
  rest_cannot_export_templates: [403, 'You may not export the theme: you may not change it.'],
  rest_cannot_export_here: [400, 'The theme is an archive, which no response can hold inside another one.'],
  rest_theme_too_large: [413, 'The theme has more files, or larger ones, than can be exported.'],
  rest_template_not_found: [404, 'The theme in use has no template with this ID.'],
  rest_template_insert_error: [
    400,
    'No template can be made of this: it needs a slug, and belongs to the theme in use.',
  ],
  rest_invalid_author: [400, 'No user with this ID.'],
  rest_invalid_template: [
    400,
    'The template is a file of the theme: it cannot be deleted, and has no revisions before it is changed.',
  ],
  rest_post_invalid_parent: [404, 'No template with this ID.'],
  rest_revision_parent_id_mismatch: [404, 'The revision is one of another template.'],
  rest_post_invalid_id: [404, 'No revision with this ID.'],
})
