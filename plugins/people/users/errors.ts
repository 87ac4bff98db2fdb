import { defineErrors } from '../../../kernel/index.ts'

/** The errors of users. */
export const errors = defineErrors({
  rest_user_invalid_id: [404, 'No user with this ID.'],
  rest_not_logged_in: [401, 'You are not logged in.'],
  rest_user_cannot_view: [403, 'You may not see these users.'],
  rest_forbidden_context: [403, 'You may not see users in the context edit.'],
  rest_forbidden_orderby: [403, 'You may not sort users by this field.'],
  rest_forbidden_who: [403, 'You may not list the users who can be authors.'],
  rest_cannot_create_user: [403, 'You may not create users.'],
  rest_cannot_edit: [403, 'You may not change this user.'],
  rest_cannot_edit_roles: [403, 'You may not change the roles of this user.'],
  rest_user_cannot_delete: [403, 'You may not delete this user.'],
  rest_user_exists: [400, 'A new user gets its ID from the server: leave id out.'],
  rest_user_invalid_role: [400, (sentence: string) => sentence],
  rest_user_invalid_argument: [400, 'The login name of a user cannot be changed.'],
  rest_user_invalid_email: [400, 'The email address is invalid, or another user has it.'],
  rest_user_invalid_slug: [400, 'The slug is empty, or another user has it.'],
  rest_user_invalid_username: [400, (why: string) => `The login name ${why}.`],
  rest_user_invalid_password: [400, 'A password has 1 to 4096 characters and no backslash.'],
  rest_user_invalid_reassign: [400, 'reassign must be the ID of another user, who gets the content.'],
  existing_user_login: [400, 'Another user has this login name.'],
  existing_user_email: [400, 'Another user has this email address.'],
})
