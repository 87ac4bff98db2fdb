import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `templates`. */
export const errors = defineErrors({
  rest_cannot_manage_templates: [403, 'Sorry, you are not allowed to access templates.'],
  rest_cannot_export_templates: [403, 'Sorry, you are not allowed to export the theme.'],
  rest_cannot_export_here: [400, 'The theme archive cannot be embedded in another response: request it directly.'],
  rest_theme_too_large: [413, 'The theme has too many or too large files to export.'],
  rest_cannot_delete: [403, 'You may not delete the revisions of this template.'],
  rest_template_not_found: [404, 'The active theme has no template with this ID.'],
  rest_template_insert_error: [400, 'The template needs a slug and must belong to the active theme.'],
  rest_invalid_template: [
    400,
    'The template is a file of the theme: it cannot be deleted, and has no revisions until it is edited.',
  ],
  rest_post_invalid_parent: [404, 'No template with this ID.'],
  rest_revision_parent_id_mismatch: [404, 'The revision belongs to another template.'],
  rest_post_no_autosave: [404, 'This template has no autosave with this ID.'],
  rest_post_invalid_id: [404, 'No revision with this ID.'],
})
