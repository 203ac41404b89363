// The texts of the hosted pages in German.
import { html } from 'hono/html';
import type { Texts } from './en.ts';

const twoDigits = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;
const dayOf = (time: Date) => time.toLocaleDateString('de-DE', { ...twoDigits, timeZone: 'UTC' });
const secondsOf = (ms: number) => `${(ms / 1_000).toLocaleString('de-DE')} Sekunden`;

export const de: Texts = {
  lang: 'de',
  links: { privacy: 'Datenschutzerklärung', terms: 'Nutzungsbedingungen', support: 'Hilfe' },
  errorTitle: (title) => `Fehler: ${title}`,
  problem: 'Es gibt ein Problem',
  tryAgain: 'Erneut versuchen',
  cancel: 'Abbrechen',
  optional: (label) => html`${label} (optional)`,
  failures: {
    unexpected: 'Ein Fehler ist aufgetreten. Bitte versuchen Sie es gleich noch einmal.',
    tooLarge: 'Die Anfrage ist zu groß.',
    unreadable: 'Das Formular konnte nicht gelesen werden.',
    invalidLink: 'Dieser Link ist ungültig. Bitte fordern Sie in der App einen neuen an.',
    otherBrowser: 'Diese Seite wurde in einem anderen Browser geöffnet',
    openAgain: (brand) => `Bitte öffnen Sie den Link bei ${brand} noch einmal.`,
  },

  connect: {
    title: (network) => `Ihr ${network}-Konto verbinden`,
    again: (network) => `Ihr ${network}-Konto erneut verbinden`,
    request: (brand, network, account) =>
      html`<strong>${brand}</strong> bittet darum, ${account !== null && 'weiterhin '}in Ihrem Namen
        auf ${network} Beiträge zu
        veröffentlichen${account !== null && html`, und zwar als <bdi>${account}</bdi>`}.`,
    logInAt: (place) => `Sie melden sich bei ${place} an und erlauben es dort.`,
    connect: 'Verbinden',
    continue: 'Weiter',
    continueWith: (provider) => `Weiter mit ${provider}`,
    consentInstead: (place) => `Stattdessen bei ${place} anmelden`,
    formInstead: (label) => `Stattdessen „${label}“ eingeben`,
    choose: (network) => `Ihre ${network}-Konten auswählen`,
    logInAgain: 'Erneut anmelden',
    returnTo: (brand) => `Zurück zu ${brand}`,
    ended: {
      completed: (network) => `Mit ${network} verbunden`,
      completedText: (count) =>
        `${count > 1 ? 'Ihre Konten sind' : 'Ihr Konto ist'} verbunden. Sie können diese Seite schließen.`,
      canceled: (network) => `Nicht mit ${network} verbunden`,
      canceledText: 'Ihr Konto wurde nicht verbunden. Sie können diese Seite schließen.',
      expired: 'Dieser Link ist abgelaufen',
      expiredText: (brand) =>
        `Ihr Konto ist nicht verbunden. Bitte kehren Sie zu ${brand} zurück und fordern Sie einen neuen Link an.`,
    },
    failed: (network) => `Ihr ${network}-Konto konnte nicht verbunden werden`,
    anyFailed: 'Ihr Konto konnte nicht verbunden werden',
    usedTitle: 'Dieser Schritt ist nicht mehr aktuell',
    used: 'Dieser Schritt wurde schon ausgeführt, oder Sie haben neu begonnen. Ihr Konto ist noch nicht verbunden.',
    otherBrowser: 'Nur der Browser, der den Link geöffnet hat, zeigt diese Seite, 30 Minuten lang.',
    failures: {
      noPage: 'Diese Seite gibt es nicht.',
      noDocument: 'Dieses Dokument gibt es nicht.',
      noState:
        'Das Netzwerk hat nicht mitgeteilt, um welche Anmeldung es geht. Bitte kehren Sie zur App zurück und öffnen Sie den Link noch einmal.',
      otherServer:
        'Es hat ein anderer Server geantwortet als der, bei dem Sie begonnen haben. Ihr Konto wurde nicht verbunden.',
      tooManyLogins:
        'Mit diesem Link haben sich zu viele Personen angemeldet. Bitte kehren Sie zur App zurück und fordern Sie einen neuen an.',
      noApp: (place) => `Die Anmeldung bei ${place} ist hier nicht verfügbar.`,
      otherLogin: (account) =>
        `Diese Anmeldung hat keinen Zugriff auf das Konto ${account}. Bitte melden Sie sich mit einem Zugang an, der dort veröffentlichen darf.`,
      oldChoice: 'Diese Liste der Konten ist nicht mehr aktuell.',
      noChoice: 'Bitte wählen Sie mindestens ein Konto aus.',
      lostChoice: 'Ein ausgewähltes Konto ist nicht mehr verfügbar. Bitte wählen Sie neu.',
    },
  },

  share: {
    title: (network) => `Auf ${network} posten`,
    creator: (network, name) => html`Sie posten auf ${network} als ${name}`,
    preview: 'Vorschau',
    video: 'Ihr Video',
    photo: (number) => `Foto ${number}`,
    othersNow: (brand, networks) =>
      `${brand} veröffentlicht diesen Beitrag jetzt auch auf ${networks}.`,
    othersThen: (brand, networks) =>
      `${brand} veröffentlicht diesen Beitrag zur selben Zeit auch auf ${networks}.`,
    description: 'Beschreibung',
    titleField: 'Titel',
    privacy: 'Wer diesen Beitrag sehen kann',
    choose: 'Bitte auswählen',
    levels: {
      PUBLIC_TO_EVERYONE: 'Alle',
      MUTUAL_FOLLOW_FRIENDS: 'Freunde: Follower, denen Sie auch folgen',
      FOLLOWER_OF_CREATOR: 'Follower',
      SELF_ONLY: 'Nur ich',
    },
    interactions: 'Was andere tun können',
    allow: {
      comment: 'Kommentare erlauben',
      duet: 'Duette erlauben',
      stitch: 'Stitches erlauben',
    },
    turnedOff: 'Sie haben dies bei TikTok ausgeschaltet.',
    commercial: 'Kommerzielle Inhalte',
    disclose: 'Dieser Beitrag wirbt für Sie selbst, eine Marke, ein Produkt oder eine Leistung',
    ai: 'KI-generierte Inhalte',
    madeWithAi: 'Dieses Video wurde mit KI erstellt',
    publishOn: (time) => `Der Beitrag wird am ${time} veröffentlicht.`,
    publish: 'Veröffentlichen',
    schedule: 'Planen',
    nothingBefore: (brand) =>
      `${brand} sendet nichts an TikTok, bevor Sie auf diese Schaltfläche drücken. Nach der Veröffentlichung kann es einige Minuten dauern, bis der Inhalt verarbeitet und in Ihrem Profil sichtbar ist.`,
    failed: 'Der Beitrag konnte nicht geöffnet werden',
    otherBrowser: 'Diese Seite funktioniert nur in dem Browser, der den Link geöffnet hat.',
    expired: 'Dieser Link ist abgelaufen',
    expiredText: (brand) =>
      `Der Beitrag ist nicht auf TikTok. Bitte kehren Sie zu ${brand} zurück und fordern Sie einen neuen Link an.`,
    otherTargets: 'Dieser Link ist nicht mehr gültig',
    otherTargetsText: (brand) =>
      `${brand} veröffentlicht diesen Beitrag nicht mehr in Ihrem TikTok-Konto. Bitte kehren Sie zu ${brand} zurück und fordern Sie einen neuen Link an.`,
    refused: 'Sie können diesen Beitrag jetzt nicht veröffentlichen',
    nothingSent: 'An TikTok wurde nichts gesendet.',
    open: 'Beitrag öffnen',
    scheduledTitle: 'Ihr Beitrag ist geplant',
    scheduled: (network, time) => `Der Beitrag wird am ${time} auf ${network} veröffentlicht.`,
    published: (network) => `Ihr Beitrag ist auf ${network}`,
    notPublished: (network) => `Ihr Beitrag ist nicht auf ${network}`,
    publishing: (network) => `Ihr Beitrag wird an ${network} gesendet`,
    processing: 'Bis der Inhalt in Ihrem Profil sichtbar ist, kann es einige Minuten dauern.',
    notTaken: (network) => `${network} hat den Beitrag nicht angenommen.`,
    withdrawn: 'Er wurde zurückgezogen oder geändert. Sie können diese Seite schließen.',
    failures: {
      changed: 'Der Beitrag wurde geändert, seit Sie diese Seite geöffnet haben.',
      noPosts: (network) =>
        `Die Anmeldung erlaubt keine Beiträge auf ${network}. Bitte verbinden Sie das Konto erneut und erlauben Sie Beiträge.`,
      tooLong: (limitMs, actualMs) =>
        `Ihr Konto kann Videos von höchstens ${secondsOf(limitMs)} veröffentlichen. Dieses Video hat ${secondsOf(actualMs)}.`,
      noPrivacy: 'Bitte wählen Sie aus, wer den Beitrag sehen kann.',
      otherPrivacy:
        'TikTok bietet Ihnen diese Auswahl dafür, wer den Beitrag sehen kann, nicht an. Bitte wählen Sie neu.',
    },
    time: (time) => `${dayOf(time)} um ${time.toISOString().slice(11, 16)} Uhr UTC`,
  },

  notFound: {
    title: 'Hier gibt es nichts',
    text: 'Bitte prüfen Sie, ob die Adresse vollständig ist.',
  },

  deletion: {
    title: 'Ihr Antrag auf Löschung Ihrer Daten',
    status: 'Status:',
    received: 'eingegangen',
    receivedText: (day) =>
      `Ihr Antrag ist am ${day} eingegangen. Zuerst werden Ihre Anmeldungen, Namen und Kontokennungen gelöscht, danach die Reste Ihrer Beiträge, meist innerhalb einer Stunde.`,
    erased: 'gelöscht',
    erasedText: (day, erasedOn) =>
      `Ihr Antrag ist am ${day} eingegangen. Alle Daten Ihrer Konten waren am ${erasedOn} gelöscht.`,
    code: (code) => `Bestätigungscode: ${code}`,
    unknown: 'Diesen Antrag gibt es nicht',
    unknownText: 'Ist die Adresse vollständig? Alte Anträge werden nicht mehr angezeigt.',
    day: dayOf,
  },

  connectors: {
    'You log in at the server of your account, and allow posts there.':
      'Sie melden sich auf dem Server Ihres Kontos an und erlauben dort Beiträge.',
    'Handle or server': 'Handle oder Server',
    "Such as `ada.bsky.social`, or `https://bsky.social` if you don't know your handle.":
      'Zum Beispiel `ada.bsky.social`, oder `https://bsky.social`, wenn Sie Ihr Handle nicht kennen.',
    'Create an app password at https://bsky.app/settings/app-passwords. It can post on behalf of the account, and you can revoke it there.':
      'Erstellen Sie ein App-Passwort unter https://bsky.app/settings/app-passwords. Damit kann im Namen des Kontos veröffentlicht werden. Sie können es dort widerrufen.',
    Handle: 'Handle',
    'Such as `ada.bsky.social`. The DID works too.':
      'Zum Beispiel `ada.bsky.social`. Die DID funktioniert auch.',
    'App password': 'App-Passwort',
    'Not the password that you log in with.': 'Nicht das Passwort, mit dem Sie sich anmelden.',
    Server: 'Server',
    "The account's PDS. The handle leads to it, so you can leave this empty.":
      'Der PDS des Kontos. Das Handle führt zu ihm, daher kann dieses Feld leer bleiben.',
    'You log in at your server, and allow the access there.':
      'Sie melden sich auf Ihrem Server an und erlauben dort den Zugriff.',
    'Where you log in, such as mastodon.social.':
      'Wo Sie sich anmelden, zum Beispiel mastodon.social.',
    'In Mastodon, open Preferences → Development, and create an application with the scopes read:accounts, read:statuses, write:statuses and write:media.':
      'Öffnen Sie in Mastodon Einstellungen → Entwicklung und erstellen Sie eine Anwendung mit den Befugnissen read:accounts, read:statuses, write:statuses und write:media.',
    'Access token': 'Zugriffstoken',
    'Open the application again. Its page shows "Your access token".':
      'Öffnen Sie die Anwendung noch einmal. Ihre Seite zeigt „Dein Zugriffstoken“.',
    'You log in at LinkedIn, and allow posts to your profile or to pages that you administer.':
      'Sie melden sich bei LinkedIn an und erlauben Beiträge in Ihrem Profil oder auf Seiten, die Sie verwalten.',
    "Create an app at https://www.linkedin.com/developers/apps, and a token with LinkedIn's token generator at https://www.linkedin.com/developers/tools/oauth/token-generator. The token expires after 60 days.":
      'Erstellen Sie eine App unter https://www.linkedin.com/developers/apps und ein Token mit dem Generator von LinkedIn unter https://www.linkedin.com/developers/tools/oauth/token-generator. Das Token läuft nach 60 Tagen ab.',
    'From the token generator of your app, with the scopes of your account.':
      'Aus dem Token-Generator Ihrer App, mit den Befugnissen Ihres Kontos.',
    'Page ID': 'Seiten-ID',
    'The number in the address of the page, for its administrators. Empty: your own profile.':
      'Die Zahl in der Adresse der Seite, für Administratoren der Seite. Leer: Ihr eigenes Profil.',
    'You log in at Facebook, select your pages, and allow posts to them.':
      'Sie melden sich bei Facebook an, wählen Ihre Seiten aus und erlauben Beiträge auf ihnen.',
    'You log in at Threads, and allow posts to your profile.':
      'Sie melden sich bei Threads an und erlauben Beiträge in Ihrem Profil.',
    'You log in at Instagram with a professional account, and allow posts. Instagram makes an account professional in its settings, free of charge.':
      'Sie melden sich bei Instagram mit einem professionellen Konto an und erlauben Beiträge. Ein Konto lässt sich in den Einstellungen von Instagram kostenlos auf ein professionelles umstellen.',
    'You log in at Facebook, and share the pages that your professional Instagram accounts are linked to.':
      'Sie melden sich bei Facebook an und geben die Seiten frei, mit denen Ihre professionellen Instagram-Konten verknüpft sind.',
    'Create a bot with @BotFather. Add it to your group, or to your channel as an administrator who may post messages.':
      'Erstellen Sie einen Bot mit @BotFather. Fügen Sie ihn Ihrer Gruppe hinzu, oder Ihrem Kanal als Administrator, der Nachrichten senden darf.',
    'Bot token': 'Bot-Token',
    'Send /newbot to @BotFather in Telegram, or /token for a bot that you have.':
      'Senden Sie in Telegram /newbot an @BotFather, oder /token für einen vorhandenen Bot.',
    'Channel or group': 'Kanal oder Gruppe',
    'Public name, such as @my_channel, or ID, such as -1001234567890.':
      'Öffentlicher Name, zum Beispiel @my_channel, oder ID, zum Beispiel -1001234567890.',
    'Paste the URL of a webhook. Or, for replies, a bot token and a channel ID.':
      'Fügen Sie die URL eines Webhooks ein. Oder, für Antworten, ein Bot-Token und eine Kanal-ID.',
    'Webhook URL': 'Webhook-URL',
    'In Discord: channel settings → Integrations → Webhooks → Copy Webhook URL.':
      'In Discord: Kanaleinstellungen → Integrationen → Webhooks → Webhook-URL kopieren.',
    'At https://discord.com/developers/applications: your application → Bot → Reset Token.':
      'Unter https://discord.com/developers/applications: Ihre Anwendung → Bot → Reset Token.',
    'Channel ID': 'Kanal-ID',
    'In Discord, with Developer Mode on: right-click the channel → Copy Channel ID.':
      'In Discord, mit eingeschaltetem Entwicklermodus: Rechtsklick auf den Kanal → Kanal-ID kopieren.',
    'Create an app at https://api.slack.com/apps with the bot scopes chat:write, files:write, channels:read, channels:history, groups:read and groups:history, and install it. Then invite it to the channel.':
      'Erstellen Sie eine App unter https://api.slack.com/apps mit den Bot-Berechtigungen chat:write, files:write, channels:read, channels:history, groups:read und groups:history und installieren Sie sie. Laden Sie sie dann in den Kanal ein.',
    'On the page OAuth & Permissions of the app.': 'Auf der Seite OAuth & Permissions der App.',
    'In Slack, at the end of the channel details.': 'In Slack, am Ende der Kanaldetails.',
    'In WordPress, open Users → Profile and add an application password. You need the role Author, Editor or Administrator.':
      'Öffnen Sie in WordPress Benutzer → Profil und fügen Sie ein Anwendungspasswort hinzu. Sie brauchen die Rolle Autor, Redakteur oder Administrator.',
    Site: 'Website',
    'Address, such as `https://example.com`.': 'Adresse, zum Beispiel `https://example.com`.',
    Username: 'Benutzername',
    'The name or email address that you log in with.':
      'Der Name oder die E-Mail-Adresse, mit der Sie sich anmelden.',
    'Application password': 'Anwendungspasswort',
    'Your Nostr app shows your private key and your relays in its settings.':
      'Ihre Nostr-App zeigt Ihren privaten Schlüssel und Ihre Relays in ihren Einstellungen.',
    'Private key': 'Privater Schlüssel',
    'It begins with `nsec1`. Anyone who has it can post as you.':
      'Er beginnt mit `nsec1`. Wer ihn hat, kann in Ihrem Namen veröffentlichen.',
    Relays: 'Relays',
    '1 to 10 URLs that begin with wss://, separated by spaces or commas.':
      '1 bis 10 URLs, die mit wss:// beginnen, getrennt durch Leerzeichen oder Kommas.',
    'Any name, such as ada.': 'Ein beliebiger Name, zum Beispiel ada.',
    'The sandbox is a test network, so it asks for no password.':
      'Die Sandbox ist ein Testnetzwerk und fragt daher nicht nach einem Passwort.',
    Page: 'Seite',
    Profile: 'Profil',
  },
};
