import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  IMAGE_SIZE_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the image size ${name} wrongly: it ${sentence(reason)}`,
  UPLOADS_NOT_WRITABLE: [
    500,
    (folder: string, reason: string) =>
      `The uploads folder ${folder} is not writable: ${reason}. Grant the server's account write permission, or set another folder as uploads in the config.`,
  ],
  rest_upload_no_data: [
    400,
    'The request contains no file: send it as the body, or as the field file of a multipart form.',
  ],
  rest_upload_no_content_type: [400, 'The request has no Content-Type header: send it with the type of the file.'],
  rest_upload_no_content_disposition: [
    400,
    'The request has no Content-Disposition header: send it with the name of the file.',
  ],
  rest_upload_invalid_disposition: [
    400,
    'The Content-Disposition header contains no file name: write it as attachment; filename="photo.jpg".',
  ],
  rest_upload_hash_mismatch: [412, 'The file does not match the Content-MD5 header: send it again.'],
  rest_upload_sideload_error: [400, (reason: string) => `The file cannot be uploaded: ${reason}.`],
  rest_upload_too_many_pixels: [
    400,
    (maximum: number) => `The image has more than ${maximum} pixels: make it smaller.`,
  ],
  rest_upload_image_type_not_supported: [
    400,
    'Most browsers cannot show HEIC images, and this server cannot convert them: save the image as JPEG and upload it again.',
  ],
  rest_invalid_url: [400, 'The URL cannot be fetched: use the http or https URL of a public site.'],
  rest_cannot_edit_image: [403, 'You may not edit images.'],
  rest_cannot_read_usage: [403, 'You may not see where files are used.'],
  rest_unknown_attachment: [404, 'src must be a URL of this attachment.'],
  rest_cannot_edit_file_type: [400, 'Only images can be edited: JPEG, PNG, GIF, WebP and AVIF.'],
  rest_image_not_edited: [400, 'The request changes nothing: send modifiers, rotation, or width and height.'],
  rest_image_crop_failed: [400, 'The crop is outside the image.'],
  rest_upload_invalid_image: [400, 'The file is not a supported image.'],
  rest_upload_dimension_mismatch: [
    400,
    (size: string, width: number, height: number) =>
      `The image has ${width} × ${height} pixels, which is larger than the size ${size}.`,
  ],
  rest_upload_unknown_size: [400, (size: string) => `The image size ${size} does not exist.`],
  rest_invalid_sub_size_file: [400, 'The file was not uploaded for this attachment.'],
  rest_image_replaced: [409, 'The image was replaced during the request: try again.'],
  rest_too_many_files: [400, (maximum: number) => `An attachment can have at most ${maximum} files.`],
  rest_sideload_attachment_not_in_uploads: [403, 'The file of this attachment is not in the uploads folder.'],
  rest_file_gone: [404, 'The file was deleted during the request.'],
  rest_post_invalid_id: [404, 'Invalid post ID: no attachment has this ID.'],
  rest_upload_unknown_error: [500, 'The file could not be stored. The log contains the reason under the request ID.'],
})
