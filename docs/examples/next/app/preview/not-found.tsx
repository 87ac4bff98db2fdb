export default function PreviewNotFound() {
  return (
    <>
      <h1>This preview has ended</h1>
      <p>Links to previews are good for a while only. Ask whoever sent it to you for a new one.</p>
    </>
  )
}
