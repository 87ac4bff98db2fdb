export default function PreviewNotFound() {
  return (
    <>
      <h1>This preview has ended</h1>
      <p>Preview links expire. Ask the sender for a new one.</p>
    </>
  )
}
