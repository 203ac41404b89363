// The consent page of a simulated network. Its form sends the parameters of the request, with the user's
// decision.

/** `action`: the path that takes the decision. `head`: shown above the form. */
export function showConsentForm(
  action: string,
  asked: Record<string, string | undefined>,
  head = '',
): Response {
  const fields = Object.entries(asked).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}" />`,
  );
  const buttons = ['allow', 'deny'].map(
    (decision) => `<button name="decision" value="${decision}">${decision}</button>`,
  );
  const form = `<form method="post" action="${action}">${fields.join('')}${buttons.join('')}</form>`;
  return new Response(head + form, { headers: { 'content-type': 'text/html' } });
}
