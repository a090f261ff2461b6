import { apiKey } from '../../state/credentials';
import { acceptLink, linkedKey, linkTrouble } from '../../state/key-link';
import { Question } from '../parts/question';

/** Asks before a link replaces the key in use, and says why a link does not work. */
export function KeyLinkDialog() {
  const trouble = linkTrouble.value;
  const key = linkedKey.value;
  const close = () => (linkedKey.value = linkTrouble.value = undefined);
  if (trouble) {
    return (
      <Question title="The link does not work" text={`${trouble.title}. ${trouble.text}`} onClose={close}>
        <button class="primary" onClick={close}>
          Close
        </button>
      </Question>
    );
  }
  if (!key) return null;
  return (
    <Question
      title="Use the key of the link?"
      text={`This page uses another key, ${apiKey.value?.slice(0, 10)}…, and forgets it then. The list stays.`}
      onClose={close}
    >
      <button onClick={() => void acceptLink(key)}>Replace the key</button>
      <button class="primary" onClick={close}>
        Keep it
      </button>
    </Question>
  );
}
