/** Messages of a form by name. */
export const MESSAGES: Readonly<Record<string, string>> = {
  mail_sent_ok: 'Thank you for your message. It has been sent.',
  mail_sent_ng: 'There was an error trying to send your message. Please try again later.',
  validation_error: 'One or more fields have an error. Please check and try again.',
  spam: 'There was an error trying to send your message. Please try again later.',
  accept_terms: 'You must accept the terms and conditions before sending your message.',
  invalid_required: 'Please fill out this field.',
  invalid_too_long: 'This field has a too long input.',
  invalid_too_short: 'This field has a too short input.',
  upload_failed: 'There was an unknown error uploading the file.',
  upload_file_type_invalid: 'You are not allowed to upload files of this type.',
  upload_file_too_large: 'The uploaded file is too large.',
  upload_failed_php_error: 'There was an error uploading the file.',
  invalid_date: 'Please enter a date in YYYY-MM-DD format.',
  date_too_early: 'This field has a too early date.',
  date_too_late: 'This field has a too late date.',
  invalid_number: 'Please enter a number.',
  number_too_small: 'This field has a too small number.',
  number_too_large: 'This field has a too large number.',
  quiz_answer_not_correct: 'The answer to the quiz is incorrect.',
  captcha_not_match: 'Your entered code is incorrect.',
  invalid_email: 'Please enter an email address.',
  invalid_url: 'Please enter a URL.',
  invalid_tel: 'Please enter a telephone number.',
}

/** Template of a new form. */
export const TEMPLATE = `<label> Your name
    [text* your-name autocomplete:name] </label>

<label> Your email
    [email* your-email autocomplete:email] </label>

<label> Subject
    [text* your-subject] </label>

<label> Your message (optional)
    [textarea your-message] </label>

[submit "Submit"]`

const SIGNATURE = '([_site_title] [_site_url])'

/** Returns the mail templates of a new form. @param sender address of the site */
export function mailsOf(sender: string) {
  const common = {
    subject: '[_site_title] "[your-subject]"',
    sender: `[_site_title] <${sender}>`,
    attachments: '',
    use_html: 0,
    exclude_blank: 0,
  }
  return {
    mail: {
      ...common,
      body: `From: [your-name] [your-email]\nSubject: [your-subject]\n\nMessage Body:\n[your-message]\n\n-- \nThis is a notification that a contact form was submitted on your website ${SIGNATURE}.`,
      recipient: '[_site_admin_email]',
      additional_headers: 'Reply-To: [your-email]',
    },
    mail_2: {
      active: false,
      ...common,
      body: `Message Body:\n[your-message]\n\n-- \nThis email is a receipt for your contact form submission on our website ${SIGNATURE} in which your email address was used. If that was not you, please ignore this message.`,
      recipient: '[your-email]',
      additional_headers: 'Reply-To: [_site_admin_email]',
    },
  }
}
