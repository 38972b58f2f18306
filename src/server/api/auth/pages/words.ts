// Texts of the pages in all their languages, plain text.

/** `{after}` in a text is a number of seconds. */
export interface Words {
  readonly access: string;
  readonly userName: string;
  readonly password: string;
  readonly signIn: string;
  readonly proceed: string;
  readonly wrong: string;
  readonly tooMany: string;
  readonly signedIn: string;
  readonly loggedOut: string;
  readonly mayClose: string;
  readonly notHere: string;
  readonly onlyHere: string;
  readonly notSignedIn: string;
  readonly unconfirmed: string;
  readonly denied: string;
  readonly expired: string;
  readonly unavailable: string;
  readonly misconfigured: string;
  readonly again: string;
  readonly manyFromHere: string;
}

const en: Words = {
  access: "Access",
  userName: "User name",
  password: "Password",
  signIn: "Sign in",
  proceed: "Continue",
  wrong: "The user name and password do not match. Check both and try again.",
  tooMany: "That did not fit several times. Try again in {after} s.",
  signedIn: "You have access",
  loggedOut: "You are logged out",
  mayClose: "You may close this window.",
  notHere: "No access from here",
  onlyHere: "Access is limited to certain computers, by their address. Yours is not one of them.",
  notSignedIn: "You are not signed in",
  unconfirmed:
    "The other page did not confirm who you are, or you came back too late. Try again. If it fails again, tell those who run this site.",
  denied: "You did not agree to the login, or the login page refused it. Try again if you want access.",
  expired:
    "This login is not known here: it was started more than ten minutes ago or in another browser, or it has already finished. Try again.",
  unavailable: "The login page is not responding right now. Try again in a few minutes.",
  misconfigured: "The login is not set up correctly. Tell those who run this site.",
  again: "Try again",
  manyFromHere: "Many readers of your network have just logged in. Try again in {after} s.",
};

const de: Words = {
  access: "Zugang",
  userName: "Benutzername",
  password: "Passwort",
  signIn: "Anmelden",
  proceed: "Weiter",
  wrong:
    "Benutzername und Passwort passen nicht zusammen. Prüfen Sie beides und versuchen Sie es noch einmal.",
  tooMany: "Das war mehrmals falsch. Versuchen Sie es in {after} s noch einmal.",
  signedIn: "Sie haben Zugang",
  loggedOut: "Sie sind abgemeldet",
  mayClose: "Sie können dieses Fenster schließen.",
  notHere: "Von hier kein Zugang",
  onlyHere: "Zugang gibt es nur an bestimmten Rechnern, nach ihrer Adresse. Ihrer gehört nicht dazu.",
  notSignedIn: "Sie sind nicht angemeldet",
  unconfirmed:
    "Die andere Seite hat nicht bestätigt, wer Sie sind, oder Sie kamen zu spät zurück. Versuchen Sie es noch einmal. Klappt es wieder nicht, sagen Sie es denen, die diese Website betreiben.",
  denied:
    "Sie haben der Anmeldung nicht zugestimmt, oder die Anmeldeseite hat sie abgelehnt. Versuchen Sie es noch einmal, wenn Sie Zugang möchten.",
  expired:
    "Diese Anmeldung ist hier nicht bekannt: Sie begann vor mehr als zehn Minuten oder in einem anderen Browser, oder sie ist schon abgeschlossen. Versuchen Sie es noch einmal.",
  unavailable: "Die Anmeldeseite antwortet gerade nicht. Versuchen Sie es in einigen Minuten noch einmal.",
  misconfigured:
    "Die Anmeldung ist nicht richtig eingerichtet. Sagen Sie es denen, die diese Website betreiben.",
  again: "Noch einmal versuchen",
  manyFromHere:
    "Aus Ihrem Netz haben sich gerade viele angemeldet. Versuchen Sie es in {after} s noch einmal.",
};

const fr: Words = {
  access: "Accès",
  userName: "Nom d’utilisateur",
  password: "Mot de passe",
  signIn: "Se connecter",
  proceed: "Continuer",
  wrong: "Le nom d’utilisateur et le mot de passe ne correspondent pas. Vérifiez-les et réessayez.",
  tooMany: "Plusieurs essais ont échoué. Réessayez dans {after} s.",
  signedIn: "Vous avez accès",
  loggedOut: "Vous êtes déconnecté",
  mayClose: "Vous pouvez fermer cette fenêtre.",
  notHere: "Pas d’accès depuis ce poste",
  onlyHere:
    "L’accès n’est ouvert que sur certains postes, selon leur adresse. Le vôtre n’en fait pas partie.",
  notSignedIn: "Vous n’êtes pas connecté",
  unconfirmed:
    "L’autre page n’a pas confirmé votre identité, ou trop de temps a passé. Réessayez. En cas de nouvel échec, prévenez les responsables de ce site.",
  denied:
    "Vous n’avez pas accepté la connexion, ou la page de connexion l’a refusée. Réessayez si vous souhaitez un accès.",
  expired:
    "Cette connexion est inconnue ici : elle a commencé il y a plus de dix minutes ou dans un autre navigateur, ou elle est déjà terminée. Réessayez.",
  unavailable: "La page de connexion ne répond pas pour le moment. Réessayez dans quelques minutes.",
  misconfigured: "La connexion n’est pas configurée correctement. Prévenez les responsables de ce site.",
  again: "Réessayer",
  manyFromHere:
    "De nombreuses connexions viennent d’être ouvertes depuis votre réseau. Réessayez dans {after} s.",
};

const es: Words = {
  access: "Acceso",
  userName: "Nombre de usuario",
  password: "Contraseña",
  signIn: "Iniciar sesión",
  proceed: "Continuar",
  wrong: "El nombre de usuario y la contraseña no coinciden. Compruébelos e inténtelo de nuevo.",
  tooMany: "Varios intentos han fallado. Inténtelo de nuevo en {after} s.",
  signedIn: "Ya tiene acceso",
  loggedOut: "Ha cerrado la sesión",
  mayClose: "Puede cerrar esta ventana.",
  notHere: "Sin acceso desde este equipo",
  onlyHere: "Solo se da acceso en determinados equipos, según su dirección. El suyo no es uno de ellos.",
  notSignedIn: "No ha iniciado sesión",
  unconfirmed:
    "La otra página no ha confirmado su identidad, o ha vuelto demasiado tarde. Inténtelo de nuevo. Si vuelve a fallar, avise a los responsables de este sitio.",
  denied:
    "No ha aceptado el inicio de sesión, o la página de inicio de sesión lo ha rechazado. Inténtelo de nuevo si desea acceder.",
  expired:
    "Este inicio de sesión no se conoce aquí: empezó hace más de diez minutos o en otro navegador, o ya ha terminado. Inténtelo de nuevo.",
  unavailable:
    "La página de inicio de sesión no responde en este momento. Inténtelo de nuevo en unos minutos.",
  misconfigured:
    "El inicio de sesión no está configurado correctamente. Avise a los responsables de este sitio.",
  again: "Intentar de nuevo",
  manyFromHere: "Desde su red se acaban de abrir muchas sesiones. Inténtelo de nuevo en {after} s.",
};

const it: Words = {
  access: "Accesso",
  userName: "Nome utente",
  password: "Password",
  signIn: "Accedi",
  proceed: "Continua",
  wrong: "Nome utente e password non corrispondono. Li controlli e riprovi.",
  tooMany: "Diversi tentativi non sono riusciti. Riprovi fra {after} s.",
  signedIn: "Ora ha accesso",
  loggedOut: "La sessione è chiusa",
  mayClose: "Può chiudere questa finestra.",
  notHere: "Nessun accesso da qui",
  onlyHere: "L’accesso è consentito solo da certi computer, in base all’indirizzo. Il suo non è tra questi.",
  notSignedIn: "Accesso non riuscito",
  unconfirmed:
    "L’altra pagina non ha confermato la sua identità, oppure è passato troppo tempo. Riprovi. Se non riesce di nuovo, avvisi chi gestisce questo sito.",
  denied:
    "Non ha accettato l’accesso, oppure la pagina di accesso lo ha rifiutato. Riprovi se desidera accedere.",
  expired:
    "Questo accesso non è noto qui: è iniziato più di dieci minuti fa o in un altro browser, oppure è già concluso. Riprovi.",
  unavailable: "La pagina di accesso al momento non risponde. Riprovi fra qualche minuto.",
  misconfigured: "L’accesso non è configurato correttamente. Avvisi chi gestisce questo sito.",
  again: "Riprova",
  manyFromHere: "Dalla sua rete sono appena stati aperti molti accessi. Riprovi fra {after} s.",
};

const nl: Words = {
  access: "Toegang",
  userName: "Gebruikersnaam",
  password: "Wachtwoord",
  signIn: "Inloggen",
  proceed: "Doorgaan",
  wrong: "Gebruikersnaam en wachtwoord passen niet bij elkaar. Controleer beide en probeer het opnieuw.",
  tooMany: "Dat ging een paar keer mis. Probeer het over {after} s opnieuw.",
  signedIn: "U hebt toegang",
  loggedOut: "U bent uitgelogd",
  mayClose: "U kunt dit venster sluiten.",
  notHere: "Geen toegang vanaf hier",
  onlyHere: "Toegang is er alleen op bepaalde computers, op grond van hun adres. De uwe hoort daar niet bij.",
  notSignedIn: "U bent niet ingelogd",
  unconfirmed:
    "De andere pagina heeft niet bevestigd wie u bent, of u kwam te laat terug. Probeer het opnieuw. Lukt het weer niet, meld het dan aan de beheerders van deze site.",
  denied:
    "U hebt niet met het inloggen ingestemd, of de inlogpagina heeft het geweigerd. Probeer het opnieuw als u toegang wilt.",
  expired:
    "Deze poging om in te loggen is hier niet bekend: ze begon meer dan tien minuten geleden of in een andere browser, of ze is al afgerond. Probeer het opnieuw.",
  unavailable: "De inlogpagina reageert op dit moment niet. Probeer het over een paar minuten opnieuw.",
  misconfigured: "Het inloggen is niet juist ingesteld. Meld het aan de beheerders van deze site.",
  again: "Opnieuw proberen",
  manyFromHere: "Vanaf uw netwerk is zojuist vaak ingelogd. Probeer het over {after} s opnieuw.",
};

/** Texts by language tag; the first is the default. */
export const words = { en, de, fr, es, it, nl } as const satisfies Readonly<Record<string, Words>>;
